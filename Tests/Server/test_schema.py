"""What docs/api/vault.yaml says of both mounts, held to the real server by generated requests (schemathesis)."""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("SEIF_BINARY", ROOT / ".build" / "debug" / "seif")).with_name("seif-server")
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
PASSWORD = "correct horse battery"
SEED = 20261201
EXAMPLES = 10
# The sealed bytes' rules and what is there already can't be said in a schema: these answers to a request that is
# within it are as documented, on these calls alone.
ALLOWED = {
    # Another manifest may be there (412); one of two fields is needed, whichever (428).
    "PUT {}/manifest": (412, 428),
    "PUT {}/key-wraps": (409, 412, 422),
    # The identifier in the body has to be the one in the path.
    "PUT {}/key-wraps/{{uuid}}": (409, 422),
    # A range may begin after the end.
    "GET {}/objects/{{uuid}}": (416,),
    # Base64 that no pattern of 70 MB says; deleted objects.
    "PUT {}/objects/{{uuid}}": (400, 409, 410, 422),
}


@unittest.skipUnless(PROGRAM.exists(), "no program: run 'swift build --product seif-server', or set SEIF_BINARY")
class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        data = cls.folder / "data"
        data.mkdir(mode=0o700)
        with socket.create_server(("127.0.0.1", 0)) as free:
            cls.port = free.getsockname()[1]
        cls.origin = f"http://localhost:{cls.port}"
        made = subprocess.run(
            [PROGRAM, "serve", "user", "add", "anna", "--data", data, "--origin", cls.origin],
            capture_output=True, text=True, check=True)
        link = re.search(r"#([A-Za-z0-9_-]{43})", made.stdout).group(1)
        with (cls.folder / "log").open("wb") as log:
            cls.server = subprocess.Popen(
                [PROGRAM, "serve", "--data", data, "--listen", f"127.0.0.1:{cls.port}", "--origin", cls.origin],
                stdout=log, stderr=subprocess.STDOUT)
        cls.addClassCleanup(cls.stop)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", cls.port)).close()
                break
            except OSError:
                time.sleep(0.1)
        origin = {"Origin": cls.origin}
        cls.send(f"/account/enrol/{link}", {"password": PASSWORD}, origin)
        session, headers = cls.send("/account/session", {"name": "anna", "password": PASSWORD}, origin)
        cookie = headers.get_all("Set-Cookie")[0].split(";")[0]
        cls.session = {**origin, "Cookie": cookie, "X-CSRF-Token": session["csrf"]}
        token = cls.send("/account/tokens", {"label": "laptop", "scope": "read write"}, cls.session)[0]["token"]
        cls.token = {"Authorization": f"Bearer {token}"}
        # Else the calls that need a fresh sign-in, and totals, would be refused each time.
        cls.send("/api/v1/freshen", {"password": PASSWORD}, cls.token)

    @classmethod
    def stop(cls):
        cls.server.terminate()
        cls.server.wait(60)

    @classmethod
    def send(cls, path, body, fields, method="POST"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{cls.port}{path}", json.dumps(body).encode(),
            {"Host": f"localhost:{cls.port}", "Content-Type": "application/json", **fields}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null"), answer.headers

    @staticmethod
    def settings(mount, fields):
        """A bearer token or a cookie as schemathesis has to know them, to leave them out too; other fields as such."""
        fields = dict(fields)
        token, cookie = fields.pop("Authorization", None), fields.pop("Cookie", None)
        lines = []
        if token:
            lines += ["[auth.openapi.bearer]", f"bearer = {json.dumps(token.removeprefix('Bearer '))}"]
        if cookie:
            lines += ["[auth.openapi.session]", f"api_key = {json.dumps(cookie.partition('=')[2])}"]
        if fields:
            lines += ["[headers]", *(f"{name} = {json.dumps(value)}" for name, value in fields.items())]
        for name, statuses in ALLOWED.items():
            positive = ["2xx", "3xx", 401, 403, 404, 409, 429, "5xx", *statuses]
            lines += ["[[operations]]", f"include-name = {json.dumps(name.format(mount))}",
                      "[operations.checks.positive_data_acceptance]", f"expected-statuses = {json.dumps(positive)}"]
        # An object that was deleted is looked for before its body is read; too long a body is never read.
        lines += ["[checks.negative_data_rejection]",
                  'expected-statuses = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 428, 429, "5xx"]']
        # A deleted object that was brought back in between is there: the check doesn't know of bringing back.
        # test_server.py and VaultWireTests have what a deleted one answers.
        lines += ["[checks.use_after_free]", "enabled = false"]
        # RFC 6585 has a status of its own for a missing If-Match.
        lines += ["[checks.missing_required_header]", "expected-statuses = [400, 401, 403, 406, 415, 422, 428]"]
        return "\n".join(lines) + "\n"

    def hold(self, mount, fields):
        self.send(f"{mount}/usage", {"enabled": True}, fields, method="PUT")
        # A file, since whoever may list processes reads their arguments.
        settings = self.folder / "schemathesis.toml"
        settings.write_text(self.settings(mount, fields), encoding="utf-8")
        run = subprocess.run(
            [SCHEMATHESIS, "--config-file", settings, "run", ROOT / "docs" / "api" / "vault.yaml",
             "--url", f"http://127.0.0.1:{self.port}", "--include-path-regex", f"^{mount}(/|$)",
             "--seed", str(SEED), "--max-examples", str(EXAMPLES), "--no-shrink", "--generation-database", "none",
             "--workers", "1", "--no-color", "--request-timeout", "30",
             "--suppress-health-check", "filter_too_much"],
            cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIsNone(self.server.poll())
        # A run that sent nothing would pass as well.
        done = re.search(r"(\d+) generated", run.stdout)
        self.assertGreater(int(done.group(1)) if done else 0, 500, run.stdout)

    def test_apps_get_what_the_schema_says(self):
        self.hold("/api/v1/vault", self.token)

    def test_a_browser_gets_what_the_schema_says(self):
        self.hold("/account/vault", self.session)


if __name__ == "__main__":
    unittest.main()
