"""Dropbox v2: what Seif calls of it."""
import hashlib
import json
import os
import re

from oauth import JSON, Refused

BLOCK = 4 << 20


def content_hash(content):
    blocks = [hashlib.sha256(content[start:start + BLOCK]).digest() for start in range(0, len(content), BLOCK)]
    return hashlib.sha256(b"".join(blocks)).hexdigest()


class Folder:
    """Files of a folder by their paths, as a dictionary would have them; others may change it meanwhile."""

    def __init__(self, path):
        self.path = path

    def names(self):
        return {"/" + name.lower(): name for name in sorted(os.listdir(self.path))}

    def __iter__(self):
        return iter(self.names())

    def get(self, key):
        name = self.names().get(key)
        if name is None:
            return None
        with open(os.path.join(self.path, name), "rb") as file:
            content = file.read()
        return {"path": "/" + name, "content": content, "rev": hashlib.sha256(name.encode() + content).hexdigest()[:16]}

    def __getitem__(self, key):
        return self.get(key)

    def items(self):
        return [(key, self.get(key)) for key in self.names()]

    def __setitem__(self, key, file):
        with open(os.path.join(self.path, file["path"].lstrip("/")), "wb") as target:
            target.write(file["content"])

    def __delitem__(self, key):
        os.unlink(os.path.join(self.path, self.names()[key]))


class Dropbox:
    # Arguments that are known, and those that are needed.
    ROUTES = {
        "/2/files/list_folder": ("files.metadata.read", {
            "path", "recursive", "include_deleted", "include_non_downloadable_files", "limit"}, {"path"}),
        "/2/files/list_folder/continue": ("files.metadata.read", {"cursor"}, {"cursor"}),
        "/2/files/get_metadata": ("files.metadata.read", {"path"}, {"path"}),
        "/2/files/delete_v2": ("files.content.write", {"path", "parent_rev"}, {"path"}),
        "/2/files/download": ("files.content.read", {"path"}, {"path"}),
        "/2/files/upload": ("files.content.write", {
            "path", "mode", "autorename", "mute", "strict_conflict", "content_hash"}, {"path"}),
    }

    def __init__(self, state):
        self.state = state
        self.count = 0
        self.storages = {}
        self.cursors = {}

    def answer(self, request):
        route = self.ROUTES.get(request.path)
        if route is None:
            return None
        scope, known, needed = route
        if request.method != "POST" or request.query:
            raise Refused(400, "unsupported request")
        has_file = request.path in ("/2/files/download", "/2/files/upload")
        arguments = self.file_arguments(request) if has_file else self.arguments(request)
        client = self.state.oauth.client(request, scope)
        if not isinstance(arguments, dict) or set(arguments) - known or needed - set(arguments):
            raise Refused(400, "unknown field or a missing one")
        files = self.storages.setdefault(client, {}) if self.state.folder is None else Folder(self.state.folder)
        return getattr(self, request.path.split("/")[3])(files, arguments, request)

    @staticmethod
    def arguments(request):
        if request.headers.get("Content-Type") != "application/json" or "Dropbox-API-Arg" in request.headers:
            raise Refused(400, "Bad HTTP Content-Type header")
        return json.loads(request.body)

    @staticmethod
    def file_arguments(request):
        text = request.headers.get("Dropbox-API-Arg", "")
        kind = request.headers.get("Content-Type")
        if not re.fullmatch(r"[ -~]+", text):
            raise Refused(400, "the header Dropbox-API-Arg isn't ASCII")
        if request.path.endswith("upload"):
            if kind != "application/octet-stream":
                raise Refused(400, "Bad HTTP Content-Type header")
        elif request.body or kind not in (None, "text/plain; charset=utf-8", "application/octet-stream"):
            raise Refused(400, "Bad HTTP Content-Type header")
        return json.loads(text)

    @staticmethod
    def checked(path):
        if not isinstance(path, str) or not path.startswith("/") or path.endswith("/"):
            raise Refused(409, "path/malformed_path")
        return path

    # Names are the same whatever their case.
    @staticmethod
    def key(path):
        return path.lower()

    def shown(self, file, tag=True):
        told = {".tag": "file", "name": file["path"].rsplit("/", 1)[1], "path_lower": file["path"].lower(),
                "path_display": file["path"], "id": "id:" + file["rev"], "rev": file["rev"],
                "client_modified": "2026-09-10T11:00:58Z", "server_modified": "2026-09-10T11:00:58Z",
                "size": len(file["content"]), "is_downloadable": True, "content_hash": content_hash(file["content"])}
        if self.state.setting("hash") == "wrong":
            told["content_hash"] = "0" * 64
        if not tag:
            del told[".tag"]
        return told

    def list_folder(self, files, arguments, request):
        if request.path.endswith("continue"):
            if arguments["cursor"] not in self.cursors:
                raise Refused(409, "reset")
            rest, size = self.cursors.pop(arguments["cursor"])
        else:
            folder = arguments["path"]
            size = arguments.get("limit", 500)
            # A slash alone isn't the root there.
            if folder != "":
                self.checked(folder)
                if not any(key.startswith(self.key(folder) + "/") for key in files):
                    raise Refused(409, "path/not_found")
            if not 1 <= size <= 2000 or arguments.get("recursive"):
                raise Refused(400, "limit")
            start = self.key(folder) + "/"
            rest = [self.shown(file) for key, file in files.items()
                    if key.startswith(start) and "/" not in key[len(start):]]
            if self.state.setting("folders"):
                rest.append({".tag": "folder", "name": "a folder", "id": "id:f", "path_lower": "/a folder"})
        size = min(size, self.state.setting("pageSize", 2000))
        self.count += 1
        cursor = f"seif-cursor-{self.count}"
        if len(rest) > size:
            self.cursors[cursor] = (rest[size:], size)
        return 200, JSON, json.dumps({"entries": rest[:size], "cursor": cursor, "has_more": len(rest) > size})

    def found(self, files, path, wrapper):
        file = files.get(self.key(self.checked(path)))
        if file is None:
            raise Refused(409, f"{wrapper}/not_found")
        return file

    def get_metadata(self, files, arguments, _):
        return 200, JSON, json.dumps(self.shown(self.found(files, arguments["path"], "path")))

    def delete_v2(self, files, arguments, _):
        file = self.found(files, arguments["path"], "path_lookup")
        if arguments.get("parent_rev", file["rev"]) != file["rev"]:
            raise Refused(409, "path_write/conflict/file")
        del files[self.key(arguments["path"])]
        return 200, JSON, json.dumps({"metadata": self.shown(file)})

    def download(self, files, arguments, _):
        file = self.found(files, arguments["path"], "path")
        return 200, {"Content-Type": "application/octet-stream",
                     "Dropbox-API-Result": json.dumps(self.shown(file, tag=False))}, file["content"]

    def upload(self, files, arguments, request):
        path = self.checked(arguments["path"])
        if "\\" in path or "\x00" in path:
            raise Refused(409, "path/disallowed_name")
        if arguments.get("mode") not in ("add", {".tag": "add"}) or arguments.get("autorename"):
            raise Refused(400, "mode")
        if arguments.get("content_hash", content_hash(request.body)) != content_hash(request.body):
            raise Refused(409, "content_hash_mismatch")
        if self.state.setting("full"):
            raise Refused(409, "path/insufficient_space")
        taken = files.get(self.key(path))
        if taken is not None:
            if arguments.get("strict_conflict") or taken["content"] != request.body:
                raise Refused(409, "path/conflict/file")
            return 200, JSON, json.dumps(self.shown(taken, tag=False))
        self.count += 1
        files[self.key(path)] = {"path": path, "content": request.body, "rev": f"{self.count:09x}"}
        return 200, JSON, json.dumps(self.shown(files[self.key(path)], tag=False))
