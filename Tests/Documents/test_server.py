"""seif-server as a process: a whole session, and nothing of it in what the server keeps and says."""
import base64
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

import documents

SERVER = str(pathlib.Path(os.environ["SEIF_BINARY"]).resolve().with_name("seif-server"))
PASSWORD = "Quagga-Thylacine-Dodo-7"


class Server:
    """A server with one account, and a client of it by session and by token."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.port = 0
        with open(f"{folder}.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [SERVER, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--origin", "http://localhost:1",
                 *options], stderr=log, stdout=log)
        while not self.port:
            found = re.search(r"on port (\d+)", pathlib.Path(f"{folder}.log").read_text(encoding="utf-8"))
            if self.process.poll() is not None:
                raise RuntimeError(pathlib.Path(f"{folder}.log").read_text(encoding="utf-8"))
            self.port = int(found.group(1)) if found else 0
        self.cookie = self.csrf = self.token = None

    def ask(self, method, path, body=None, fields=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = dict(fields or {})
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        if body is not None:
            fields["Content-Type"] = kind
        if path.startswith("/api/") and self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        if path.startswith("/account"):
            fields["Origin"] = "http://localhost:1"
            if self.cookie:
                fields["Cookie"] = self.cookie
            if self.csrf:
                fields["X-CSRF-Token"] = self.csrf
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer, data

    def sign_in(self, link):
        status, _, data = self.ask("POST", f"/account/enrol/{link.split('#')[1]}", {"password": PASSWORD})
        assert status == 200, data
        status, answer, data = self.ask("POST", "/account/session", {"name": "ana", "password": PASSWORD})
        assert status == 200, data
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.csrf = json.loads(data)["csrf"]
        status, _, data = self.ask("POST", "/account/tokens", {"label": "laptop", "scope": "read write"})
        assert status == 201, data
        self.token = json.loads(data)["token"]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def run(*words):
    return subprocess.run([SERVER, *words], capture_output=True, text=True, check=False)


class ServerProgram(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = self.place.name + "/server"

    def start(self, *options):
        link = run("serve", "user", "add", "ana", "--data", self.folder, "--origin", "http://localhost:1")
        self.assertEqual(link.returncode, 0, link.stderr)
        server = Server(self.folder, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        server.sign_in(link.stdout.strip())
        return server

    def test_a_session_leaves_nothing_that_a_client_didnt_seal(self):
        server = self.start()
        sealed = os.urandom(300_000)
        name = "/api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001"
        self.assertEqual(server.ask("PUT", name, sealed, kind="application/octet-stream")[0], 201)
        self.assertEqual(server.ask("GET", name, fields={"Accept": "application/octet-stream"})[2], sealed)
        blob = base64.b64encode(os.urandom(100)).decode()
        self.assertEqual(
            server.ask("PUT", "/api/v1/vault/manifest", {"manifest": blob}, {"If-None-Match": "*"})[0], 200)
        self.assertEqual(server.ask("GET", "/account/export")[0], 200)
        self.assertEqual(server.ask("GET", "/api/v1/vault/" + "Zebra-7731")[0], 404)
        self.assertEqual(server.end(), 0)
        # Searched as they are and in base64: password, token, cookie, what was asked for and doesn't exist.
        secrets = [PASSWORD, server.token, server.cookie.split("=")[1], server.csrf, "Zebra-7731"]
        needles = [form for secret in secrets for form in (secret.encode(), base64.b64encode(secret.encode())[:-4])]
        searched = 0
        for path in [pathlib.Path(f"{self.folder}.log"), *pathlib.Path(self.folder).rglob("*")]:
            if path.is_file():
                searched += 1
                content = path.read_bytes()
                for needle in needles:
                    self.assertNotIn(needle, content, path)
        self.assertGreaterEqual(searched, 4)
        log = pathlib.Path(f"{self.folder}.log").read_text(encoding="utf-8")
        self.assertIn("PUT /api/v1/vault/objects/{uuid} 201 300000 0 ", log)
        self.assertNotIn("0a0b0c0d", log)
        self.assertNotIn("127.0.0.1", log)
        for line in log.splitlines()[1:]:
            self.assertRegex(line, r"^(GET|PUT|POST|DELETE|HEAD|-) [/a-z0-9{}.-]+ (\d{3}|-) \d+ \d+ \d+us$")

    def test_only_the_owner_reads_the_servers_folder(self):
        self.start().end()
        for path in [pathlib.Path(self.folder), *pathlib.Path(self.folder).rglob("*")]:
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_a_backup_made_while_it_runs_serves_the_same(self):
        server = self.start()
        objects = {f"0a0b0c0d-0000-4000-8000-{n:012d}": os.urandom(1000 + n) for n in range(20)}
        for name, content in objects.items():
            path = f"/api/v1/vault/objects/{name}"
            self.assertEqual(server.ask("PUT", path, content, kind="application/octet-stream")[0], 201)
        copy = self.place.name + "/copy"
        made = run("serve", "backup", copy, "--data", self.folder, "--json")
        self.assertEqual(json.loads(made.stdout)["objects"], 20, made.stderr)
        self.assertEqual(run("serve", "backup", copy, "--data", self.folder).returncode, 73)
        token = server.token
        self.assertEqual(server.end(), 0)
        self.assertEqual(run("serve", "check", "--data", copy).returncode, 0)
        other = Server(copy)
        self.addCleanup(lambda: other.process.poll() is None and other.process.kill())
        other.token = token
        for name, content in objects.items():
            got = other.ask("GET", f"/api/v1/vault/objects/{name}", fields={"Accept": "application/octet-stream"})
            self.assertEqual(got[2], content)
        other.end()
        blob = next(path for path in pathlib.Path(copy, "blobs").rglob("*") if path.is_file())
        content = bytearray(blob.read_bytes())
        content[500] ^= 1
        blob.write_bytes(content)
        self.assertEqual(run("serve", "check", "--quick", "--data", copy).returncode, 0)
        found = run("serve", "check", "--data", copy, "--json")
        self.assertEqual(found.returncode, 2)
        self.assertEqual(json.loads(found.stdout)["damaged"], [blob.name])
        blob.unlink()
        self.assertEqual(json.loads(run("serve", "check", "--data", copy, "--json").stdout)["missing"], [blob.name])

    def test_accounts_are_listed_disabled_limited_and_removed(self):
        server = self.start()
        self.assertEqual(run("serve", "user", "add", "ana", "--data", self.folder).returncode, 73)
        self.assertEqual(run("serve", "user", "add", "Ana!", "--data", self.folder).returncode, 64)
        listed = json.loads(run("serve", "user", "list", "--data", self.folder, "--json").stdout)
        self.assertEqual([(row["name"], row["state"]) for row in listed["accounts"]], [("ana", "active")])
        self.assertEqual(run("serve", "user", "quota", "ana", "1M", "--data", self.folder).returncode, 0)
        name = "/api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001"
        self.assertEqual(server.ask("PUT", name, bytes(1 << 20 | 1), kind="application/octet-stream")[0], 507)
        self.assertEqual(run("serve", "user", "disable", "ana", "--data", self.folder).returncode, 0)
        self.assertEqual(server.ask("GET", "/api/v1/vault")[0], 401)
        self.assertEqual(run("serve", "user", "disable", "ana", "--off", "--data", self.folder).returncode, 0)
        self.assertEqual(server.ask("GET", "/api/v1/vault")[0], 200)
        self.assertEqual(run("serve", "user", "remove", "ana", "--data", self.folder).returncode, 64)
        self.assertEqual(run("serve", "user", "remove", "ana", "--yes", "--data", self.folder).returncode, 0)
        self.assertEqual(server.ask("GET", "/api/v1/vault")[0], 401)
        self.assertEqual(run("serve", "user", "quota", "ana", "1M", "--data", self.folder).returncode, 66)
        server.end()

    def test_health_and_metrics_name_nobody(self):
        server = self.start("--metrics", "127.0.0.1:0")
        self.assertEqual(server.ask("GET", "/metrics")[0], 404)
        server.ask("GET", "/api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001")
        log = pathlib.Path(f"{self.folder}.log").read_text(encoding="utf-8")
        port = int(re.search(r"metrics are on port (\d+)", log).group(1))
        answers = {}
        for path in ("/health", "/metrics", "/api/v1/vault"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", path)
            answer = connection.getresponse()
            answers[path] = (answer.status, answer.read().decode())
            connection.close()
        self.assertEqual(answers["/health"], (200, "ok\n"))
        self.assertEqual(answers["/api/v1/vault"][0], 404)
        text = answers["/metrics"][1]
        line = 'seif_requests_total{method="GET",route="/api/v1/vault/objects/{uuid}",status="4xx"} 1'
        self.assertIn(line, text.splitlines())
        for word in ("ana", "0a0b0c0d", "127.0.0.1"):
            self.assertNotIn(word, text)
        server.end()

    def test_what_would_leave_a_password_in_clear_on_the_way_is_refused(self):
        for words in (["--listen", "0.0.0.0:0"], ["--listen", "0.0.0.0:0", "--origin", "http://docs.example.org"],
                      ["--origin", "docs.example.org"], ["--tls-certificate", "a"], ["--listen", "localhost:1"],
                      ["--trusted-proxy", "nginx"]):
            self.assertEqual(run("serve", "--data", self.folder, *words).returncode, 64, words)

    def test_tls_is_spoken_where_there_is_a_certificate_and_plain_bytes_do_no_harm(self):
        key, certificate = f"{self.place.name}/key.pem", f"{self.place.name}/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            check=True, capture_output=True)
        refused = run("serve", "--data", self.folder, "--listen", "127.0.0.1:0", "--origin", "https://localhost",
                      "--tls-certificate", key, "--tls-key", key)
        self.assertEqual(refused.returncode, 69, refused.stderr)
        self.assertNotIn("BEGIN", refused.stderr)
        server = Server(self.folder, "--tls-certificate", certificate, "--tls-key", key)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        context = ssl.create_default_context(cafile=certificate)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                plain.settimeout(60)
                try:
                    self.assertNotIn(b"HTTP/1.1 200", plain.recv(100))
                except ConnectionResetError:
                    pass
            connection = http.client.HTTPSConnection("localhost", server.port, context=context, timeout=60)
            connection.request("GET", "/api/v1/vault")
            self.assertEqual(connection.getresponse().status, 401)
            self.assertIn(connection.sock.version() if connection.sock else "TLSv1.3", ("TLSv1.2", "TLSv1.3"))
            connection.close()
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as plain:
            self.assertRaises((ssl.SSLError, ConnectionError), old.wrap_socket, plain, server_hostname="localhost")
        self.assertEqual(server.end(), 0)

    def test_a_thousand_that_say_nothing_hinder_nobody(self):
        server = self.start()
        idle = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(1000)]
        self.addCleanup(lambda: [connection.close() for connection in idle])
        for connection in idle[::2]:
            connection.sendall(b"GET /api/v1/vault HTTP/1.1\r\nHost: a\r\nX-A: ")
        for _ in range(50):
            self.assertEqual(server.ask("GET", "/api/v1/vault")[0], 200)
        # Those that began a head and don't end it are cut off.
        idle[0].settimeout(60)
        self.assertEqual(idle[0].recv(1), b"")
        self.assertEqual(server.end(), 0)

    def test_the_unit_is_one_that_systemd_takes(self):
        unit = documents.read(documents.ROOT / "share" / "systemd" / "system" / "seif-server.service")
        path = pathlib.Path(self.place.name, "seif-server.service")
        path.write_text(unit.replace("@bin@", "/usr/bin").replace("/usr/bin/seif-server", "/bin/true")
                        .replace("@doc@", "/usr/share/doc"), encoding="utf-8")
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True,
                                  text=True, check=False)
        self.assertEqual((verified.returncode, verified.stderr.strip()), (0, ""))


if __name__ == "__main__":
    unittest.main()
