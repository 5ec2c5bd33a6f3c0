"""A stand-in for Google Drive (v3), Dropbox (v2) and their OAuth 2.0, for tests: the calls that Seif makes, as they are
documented, and refusals of whatever the documents don't allow. It was written from the documents, not from the services.

    python3 cloud.py PORT [FOLDER]

Each client (client_id) has a storage of its own; with a FOLDER all have that one, and its files are theirs. POST /control changes how it behaves and says what was asked so far.
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from drive import Drive
from dropbox import Dropbox
from oauth import OAuth, Refused

MOST_BYTES = 200 << 20


class State:
    """Everything that is remembered; used under its lock."""

    def __init__(self, folder=None):
        self.folder = folder
        self.lock = threading.RLock()
        self.settings = {}
        # Answers that take the place of the real ones, the first that fits.
        self.script = []
        self.requests = []
        self.oauth = OAuth(self)
        self.drive = Drive(self)
        self.dropbox = Dropbox(self)

    def setting(self, name, preset=None):
        return self.settings.get(name, preset)

    def scripted(self, line):
        for step in self.script:
            if line.startswith(step["match"]):
                if step.get("skip", 0) > 0:
                    step["skip"] -= 1
                    return None
                step["times"] = step.get("times", 1) - 1
                if step["times"] <= 0:
                    self.script.remove(step)
                return step
        return None

    def control(self, body):
        change = json.loads(body or b"{}")
        self.settings.update(change.get("set", {}))
        self.script += change.get("script", [])
        for token in change.get("revoke", []):
            self.oauth.revoke(token)
        if "forget" in change:
            self.requests.clear()
        return 200, {"Content-Type": "application/json"}, json.dumps({
            "requests": list(self.requests), "refreshTokens": sorted(self.oauth.refresh_tokens),
            "accessTokens": sorted(self.oauth.access_tokens)})


class Request:
    """What was asked."""

    def __init__(self, handler, body):
        self.method = handler.command
        parts = urlsplit(handler.path)
        self.path = parts.path
        self.query_text = parts.query
        self.pairs = parse_qsl(parts.query, keep_blank_values=True)
        self.query = dict(self.pairs)
        self.headers = handler.headers
        self.body = body

    def check_query(self, allowed, needed=()):
        names = [name for name, _ in self.pairs]
        if len(set(names)) != len(names) or set(names) - set(allowed) or set(needed) - set(names):
            raise Refused(400, "invalidParameter")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return self.answer(411, {}, "")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            # A request that was cut is none.
            self.close_connection = True
            return None
        request, state = Request(self, body), self.server.state
        if request.path == "/control":
            with state.lock:
                return self.answer(*state.control(body))
        with state.lock:
            state.requests.append(f"{self.command} {self.path}")
            step = state.scripted(f"{self.command} {request.path}")
            answer = self.real(request, state) if step is None or step.get("do") else None
        if step is not None:
            if step.get("drop"):
                self.close_connection = True
                return None
            answer = step["status"], step.get("headers", {}), step.get("body", "")
        return self.answer(*answer)

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def real(self, request, state):
        try:
            # A token in an address would stand in every log on the way.
            if {"access_token", "refresh_token", "client_secret", "code_verifier"} & set(request.query):
                raise Refused(400, "invalidParameter")
            for part in (state.oauth, state.drive, state.dropbox):
                answer = part.answer(request)
                if answer is not None:
                    return answer
            raise Refused(404, "notFound")
        except Refused as refusal:
            return refusal.answer(request.path)

    def answer(self, status, headers, body):
        data = body if isinstance(body, bytes) else body.encode()
        lines = [f"HTTP/1.1 {status} Answer"] + [f"{name}: {value}" for name, value in headers.items()]
        if not any(name.lower() in ("content-length", "transfer-encoding") for name in headers):
            if status != 204:
                lines.append(f"Content-Length: {len(data)}")
        self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if status == 204 else data))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
    server.state = State(sys.argv[2] if len(sys.argv) > 2 else None)
    server.serve_forever()
