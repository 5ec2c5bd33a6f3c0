"""Google Drive v3: what Seif calls of it, in the folder of the application's own data."""
import hashlib
import json
import os
import re

from oauth import DRIVE_SCOPE, JSON, Refused

FIELDS = {"id", "name", "size", "md5Checksum", "sha256Checksum", "mimeType", "createdTime", "appProperties"}
MULTIPART_BYTES = 5 << 20
METADATA = {"id", "name", "parents", "mimeType", "appProperties"}


class Folder:
    """Files of a folder by identifiers, as a dictionary would have them; others may change it meanwhile."""
    # Identifiers that were given to names beforehand.
    known = {}

    def __init__(self, path):
        self.path = path

    def id(self, name):
        return self.known.get(name, "1" + hashlib.sha256(name.encode()).hexdigest()[:32])

    def names(self):
        return {self.id(name): name for name in sorted(os.listdir(self.path))}

    def __contains__(self, id):
        return id in self.names()

    def __getitem__(self, id):
        name = self.names()[id]
        with open(os.path.join(self.path, name), "rb") as file:
            return {"id": id, "name": name, "content": file.read(), "mimeType": "application/octet-stream"}

    def values(self):
        return [self[id] for id in self.names()]

    def __setitem__(self, id, file):
        self.known[file["name"]] = id
        with open(os.path.join(self.path, file["name"]), "wb") as target:
            target.write(file["content"])

    def __delitem__(self, id):
        os.unlink(os.path.join(self.path, self.names()[id]))


class Drive:
    def __init__(self, state):
        self.state = state
        self.count = 0
        self.ids = {}
        self.uploads = {}
        self.storages = {}

    def answer(self, request):
        if not request.path.startswith(("/drive/v3/", "/upload/drive/v3/")):
            return None
        client = self.state.oauth.client(request, DRIVE_SCOPE)
        files = self.storages.setdefault(client, {}) if self.state.folder is None else Folder(self.state.folder)
        route = f"{request.method} {request.path}"
        if route == "GET /drive/v3/files":
            return self.list(request, files)
        if route == "GET /drive/v3/files/generateIds":
            return self.generate(request, client)
        if route == "POST /upload/drive/v3/files":
            return self.upload(request, files, client)
        if route == "PUT /upload/drive/v3/files":
            return self.put(request, files)
        if route == "GET /drive/v3/about":
            request.check_query({"fields"}, {"fields"})
            if request.query["fields"] != "user(emailAddress,permissionId)":
                raise Refused(400, "invalidParameter")
            # An address is told of no account that hides it.
            user = {"anonymous": {"permissionId": "0123456789"}, "nobody": {}}.get(
                self.state.setting("about"), {"emailAddress": f"{client}@example.com", "permissionId": "0123456789"})
            return 200, JSON, json.dumps({"user": user})
        match = re.fullmatch(r"/drive/v3/files/([A-Za-z0-9_-]+)", request.path)
        if match is None:
            raise Refused(404, "notFound")
        if match[1] not in files:
            raise Refused(404, "notFound")
        if request.method == "GET":
            return self.get(request, files[match[1]])
        if request.method == "DELETE":
            request.check_query(set())
            del files[match[1]]
            return 204, {}, ""
        raise Refused(404, "notFound")

    @staticmethod
    def checked_fields(text):
        fields = text.split(",")
        if set(fields) - FIELDS:
            raise Refused(400, "invalidParameter")
        return fields

    def shown(self, file, fields):
        told = {"id": file["id"], "name": file["name"], "size": str(len(file["content"])),
                "mimeType": file["mimeType"], "createdTime": "2026-09-10T11:00:58.000Z",
                "md5Checksum": hashlib.md5(file["content"]).hexdigest(),
                "sha256Checksum": hashlib.sha256(file["content"]).hexdigest(), "appProperties": {}}
        if self.state.setting("hash") == "wrong":
            told |= {"md5Checksum": "0" * 32, "sha256Checksum": "0" * 64}
        if self.state.setting("hash") == "md5":
            del told["sha256Checksum"]
        return {name: told[name] for name in fields if name in told}

    def list(self, request, files):
        request.check_query({"spaces", "q", "fields", "pageSize", "pageToken"}, {"spaces", "q", "fields"})
        query = request.query
        size = query.get("pageSize", "100")
        if query["spaces"] != "appDataFolder" or not size.isdigit() or not 1 <= int(size) <= 1000:
            raise Refused(400, "invalidParameter")
        asked = re.fullmatch(r"((?:nextPageToken|incompleteSearch),)*files\(([A-Za-z0-9,]+)\)", query["fields"])
        if asked is None:
            raise Refused(400, "invalidParameter")
        fields = self.checked_fields(asked[2])
        found = [file for file in files.values() if self.fits(file, query["q"])]
        start = 0
        if "pageToken" in query:
            token = re.fullmatch(r"~!!~page-([0-9]+)", query["pageToken"])
            if token is None:
                raise Refused(400, "invalidParameter")
            start = int(token[1])
        end = start + min(int(size), self.state.setting("pageSize", 1000))
        answer = {"files": [self.shown(file, fields) for file in found[start:end]]}
        # As the real one: whoever doesn't ask for the token never learns that there is more.
        if end < len(found) and "nextPageToken" in query["fields"]:
            answer["nextPageToken"] = f"~!!~page-{end}"
        return 200, JSON, json.dumps(answer)

    @staticmethod
    def fits(file, question):
        for term in re.split(r" and (?=(?:[^']|'(?:[^'\\]|\\.)*')*$)", question):
            name = re.fullmatch(r"name = '((?:[^'\\]|\\['\\])*)'", term)
            if name is not None:
                if file["name"] != re.sub(r"\\(.)", r"\1", name[1]):
                    return False
            elif term not in ("'appDataFolder' in parents", "trashed = false"):
                raise Refused(400, "invalid")
        return True

    def generate(self, request, client):
        request.check_query({"count", "space", "type"})
        count = request.query.get("count", "10")
        if request.query.get("space") != "appDataFolder" or not count.isdigit() or not 1 <= int(count) <= 1000:
            raise Refused(400, "invalidParameter")
        ids = []
        for _ in range(int(count)):
            self.count += 1
            ids.append("1" + hashlib.sha256(str(self.count).encode()).hexdigest()[:32])
        self.ids.setdefault(client, set()).update(ids)
        return 200, JSON, json.dumps({"kind": "drive#generatedIds", "space": "appDataFolder", "ids": ids})

    def get(self, request, file):
        request.check_query({"fields", "alt"})
        if request.query.get("alt") == "media":
            return 200, {"Content-Type": file["mimeType"]}, file["content"]
        if "alt" in request.query:
            raise Refused(400, "invalidParameter")
        fields = self.checked_fields(request.query.get("fields", "id,name,mimeType"))
        return 200, JSON, json.dumps(self.shown(file, fields))

    def upload(self, request, files, client):
        if request.query.get("uploadType") == "resumable":
            return self.begin(request, files, client)
        request.check_query({"uploadType", "fields"}, {"uploadType"})
        kind = re.fullmatch(r"multipart/related; boundary=([A-Za-z0-9'()+_,./:=?-]{1,70})",
                            request.headers.get("Content-Type", ""))
        if request.query["uploadType"] != "multipart" or kind is None:
            raise Refused(400, "badRequest")
        line = b"--" + kind[1].encode()
        parts = (b"\r\n" + request.body).split(b"\r\n" + line)
        if len(parts) != 4 or parts[0] != b"" or parts[3] not in (b"--", b"--\r\n"):
            raise Refused(400, "badRequest")
        heads, bodies = zip(*(part.split(b"\r\n\r\n", 1) for part in parts[1:3]))
        if heads[0].lower() != b"\r\ncontent-type: application/json; charset=utf-8":
            raise Refused(400, "badContent")
        if len(bodies[1]) > MULTIPART_BYTES:
            raise Refused(413, "uploadTooLarge")
        metadata = self.checked_metadata(bodies[0], files, client)
        return self.store(request, files, metadata, bodies[1], heads[1].split(b": ")[1].decode())

    def checked_metadata(self, body, files, client):
        metadata = json.loads(body)
        if set(metadata) - METADATA or metadata.get("parents") != ["appDataFolder"] or not metadata.get("name"):
            raise Refused(400, "invalid")
        if metadata.get("id") not in self.ids.get(client, set()):
            raise Refused(400, "invalid")
        if metadata["id"] in files:
            raise Refused(409, "fileIdInUse")
        if self.state.setting("full"):
            raise Refused(403, "storageQuotaExceeded")
        return metadata

    def begin(self, request, files, client):
        request.check_query({"uploadType", "fields"})
        length = request.headers.get("X-Upload-Content-Length", "")
        if request.headers.get("Content-Type") != "application/json; charset=UTF-8" or not length.isdigit():
            raise Refused(400, "badRequest")
        self.count += 1
        upload = hashlib.sha256(f"upload {self.count}".encode()).hexdigest()
        self.uploads[upload] = (self.checked_metadata(request.body, files, client), int(length),
                                request.headers.get("X-Upload-Content-Type", ""))
        server = self.state.setting("uploadServer", "http://" + request.headers["Host"])
        return 200, {"Location": f"{server}{request.path}?{request.query_text}&upload_id={upload}"}, ""

    def put(self, request, files):
        request.check_query({"uploadType", "fields", "upload_id"}, {"upload_id"})
        metadata, length, kind = self.uploads.get(request.query["upload_id"], (None, None, None))
        if metadata is None or kind != request.headers.get("Content-Type"):
            raise Refused(404, "notFound")
        if len(request.body) != length:
            return 308, {}, ""
        del self.uploads[request.query["upload_id"]]
        return self.store(request, files, metadata, request.body, kind)

    def store(self, request, files, metadata, content, kind):
        id = metadata["id"]
        files[id] = {"id": id, "name": metadata["name"], "content": content, "mimeType": kind}
        # Two files of one name, as another writer would make at the same moment.
        if self.state.setting("twice"):
            files[id + "x"] = files[id] | {"id": id + "x"}
        fields = self.checked_fields(request.query.get("fields", "id,name,mimeType"))
        return 200, JSON, json.dumps(self.shown(files[id], fields))
