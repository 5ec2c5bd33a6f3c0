"""The server behind nginx, set up as docs/server.md has it: what one of them reads, the other does, and nothing between."""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("SEIF_BINARY", ROOT / ".build" / "debug" / "seif")).with_name("seif-server")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# What must never be done: it stands in bodies and behind ends of requests.
HIDDEN = b"DELETE /api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001 HTTP/1.1\r\nHost: a\r\n\r\n"
PLAIN = b"GET /api/v1/vault HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def example():
    """The page's location, as it stands there."""
    text = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    server = re.search(r"```nginx\n(.*?)```", text, re.S).group(1)
    return re.search(r"(  client_max_body_size.*?\n  }\n)", server, re.S).group(1)


def send(port, data):
    """All that is answered until the other end closes, or nothing comes for two seconds."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(data)
        connection.settimeout(2)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except (TimeoutError, ConnectionResetError):
            pass
        return answer


@unittest.skipUnless(NGINX or os.environ.get("CI"), "no nginx")
class BehindNginx(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        folder = self.place.name
        self.log = Path(folder, "log")
        self.port, inner = free_port(), free_port()
        with open(self.log, "w", encoding="utf-8") as log:
            server = subprocess.Popen(
                [PROGRAM, "serve", "--data", f"{folder}/server", "--listen", f"127.0.0.1:{inner}", "--origin",
                 "https://docs.example.org", "--trusted-proxy", "127.0.0.1"], stderr=log, stdout=log)
        self.addCleanup(lambda: (server.send_signal(signal.SIGTERM), server.wait(60)))
        Path(folder, "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/errors; worker_processes 1;\n"
            "events { worker_connections 64; }\n"
            f"http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;\n"
            f"fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;\n"
            f"server {{ listen 127.0.0.1:{self.port};\n"
            + example().replace("http://127.0.0.1:8420", f"http://127.0.0.1:{inner}") + "}}\n", encoding="utf-8")
        proxy = subprocess.Popen([NGINX, "-p", folder, "-c", f"{folder}/nginx.conf"],
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (proxy.terminate(), proxy.wait(60)))
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if b" 401 " in send(self.port, PLAIN)[:15]:
                    break
            except ConnectionRefusedError:
                time.sleep(0.05)
        else:
            self.fail("nginx doesn't answer: " + Path(folder, "errors").read_text(encoding="utf-8"))
        self.inner = inner

    def lines(self):
        return [line for line in self.log.read_text(encoding="utf-8").splitlines() if line.endswith("us")]

    def test_nothing_is_hidden_in_another_request(self):
        put = b"PUT /api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001 HTTP/1.1\r\nHost: a\r\n"
        length = str(len(HIDDEN)).encode()
        attacks = {
            "two lengths": put + b"Content-Length: 0\r\nContent-Length: " + length + b"\r\n\r\n" + HIDDEN,
            "a list of lengths": put + b"Content-Length: 0, " + length + b"\r\n\r\n" + HIDDEN,
            "a length and chunks": put + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
            "chunks and a length": put + b"Transfer-Encoding: chunked\r\nContent-Length: " + length
            + b"\r\n\r\n0\r\n\r\n" + HIDDEN,
            "another coding": put + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
            "two codings": put + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + HIDDEN,
            "a space before the colon": put + b"Content-Length : " + length + b"\r\n\r\n" + HIDDEN,
            "a folded coding": put + b"Transfer-Encoding:\r\n chunked\r\nContent-Length: " + length + b"\r\n\r\n"
            + HIDDEN,
            "a folded length": put + b"X-A: b\r\n Content-Length: " + length + b"\r\n\r\n" + HIDDEN,
            "bare line feeds": put.replace(b"\r\n", b"\n") + b"X-A: b\n\n" + HIDDEN,
            "a bare line feed in a field": put + b"X-A: b\nContent-Length: " + length + b"\r\n\r\n" + HIDDEN,
            "a bare return": put + b"X-A: b\rContent-Length: " + length + b"\r\n\r\n" + HIDDEN,
            "a zero byte in a name": put + b"Content-Length\x00: " + length + b"\r\n\r\n" + HIDDEN,
            "a zero byte in a value": put + b"X-A: b\x00\r\nContent-Length: " + length + b"\r\n\r\n" + HIDDEN,
            "a zero byte in the path": b"GET /api/v1/vault\x00/objects HTTP/1.1\r\nHost: a\r\n\r\n",
            "an encoded zero byte": b"GET /api/v1/vault%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "a chunk too long": put + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff0\r\n\r\n" + HIDDEN,
            "a chunk with an end of its own": put + b"Transfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n" + HIDDEN,
            "no host": b"GET /api/v1/vault HTTP/1.1\r\n\r\n" + HIDDEN,
            "two hosts": b"GET /api/v1/vault HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + HIDDEN,
            "an old version": b"GET /api/v1/vault\r\n" + HIDDEN,
        }
        for port in (self.port, self.inner):
            for name, attack in attacks.items():
                with self.subTest(name, behind=port == self.port):
                    before = len(self.lines())
                    answer = send(port, attack)
                    # What is refused ends the connection: what stands behind it is nobody's request.
                    refused = re.match(rb"HTTP/1\.[01] [45]\d\d|<html>|$", answer)
                    self.assertTrue(refused, answer[:80])
                    self.assertIn(b" 401 ", send(port, PLAIN)[:15])
                    new = self.lines()[before:]
                    if not self.hides_nothing(name):
                        self.assertFalse([line for line in new if line.startswith("DELETE")], new)

    @staticmethod
    def hides_nothing(name):
        """Where both read the same, the second request is a request of its own, which its sender could have sent alone."""
        return name in ("bare line feeds", "a chunk with an end of its own", "an old version")

    def test_a_long_upload_goes_through_as_it_comes(self):
        answer = send(self.port, b"PUT /api/v1/vault/objects/0a0b0c0d-0000-4000-8000-000000000001 HTTP/1.1\r\nHost: a\r\n"
                      b"Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n"
                      + bytes(1_000_000))
        self.assertIn(b" 401 ", answer[:15])

    def test_the_pages_example_is_one_that_nginx_takes(self):
        text = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
        server = re.search(r"```nginx\n(.*?)```", text, re.S).group(1)
        server = re.sub(r"  (listen|ssl_)[^;]*;\n", "", server)
        path = Path(self.place.name, "whole.conf")
        path.write_text(f"pid {self.place.name}/pid2; error_log stderr; events {{}} http {{ {server} }}",
                        encoding="utf-8")
        checked = subprocess.run([NGINX, "-t", "-p", self.place.name, "-c", str(path)], capture_output=True, text=True,
                                 check=False)
        self.assertIn("syntax is ok", checked.stderr)


if __name__ == "__main__":
    unittest.main()
