"""`seif` and the real server: from the operator's link to the end of the sign-in. The server and its log learn nothing."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEIF = Path(os.environ.get("SEIF_BINARY", ROOT / ".build" / "debug" / "seif"))
SERVER = SEIF.with_name("seif-server")
PASSWORD = "correct horse battery"
PASSPHRASE = "four words of a vault"
NAME = "the-name-nobody-sees"
TEXT = b"%PDF-1.7 what only the person should read\n"


class Wire:
    """Passes connections on to the server and keeps what went over them."""

    def __init__(self, port):
        self.port, self.seen, self.lock = port, bytearray(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                return
            threading.Thread(target=self.both, args=(near, far), daemon=True).start()

    def both(self, near, far):
        with near, far:
            back = threading.Thread(target=self.copy, args=(far, near), daemon=True)
            back.start()
            self.copy(near, far)
            back.join()

    def copy(self, source, target):
        try:
            while piece := source.recv(65536):
                with self.lock:
                    self.seen += piece
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@unittest.skipUnless(SEIF.exists() and SERVER.exists() and SEIF.with_name("seif-net").exists(),
                     "no programs: build seif, seif-net and seif-server, or set SEIF_BINARY")
class Client(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.data.mkdir(mode=0o700)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.wire = Wire(self.port)
        self.addCleanup(self.wire.listener.close)
        self.origin = f"http://localhost:{self.wire.listener.getsockname()[1]}"
        made = subprocess.run([SERVER, "serve", "user", "add", "anna", "--data", self.data, "--origin", self.origin],
                              capture_output=True, text=True, check=True)
        self.link = re.search(r"http\S+#[A-Za-z0-9_-]{43}", made.stdout).group(0)
        self.server = None
        self.start()
        self.addCleanup(self.stop)
        self.secret("passphrase", PASSPHRASE)
        self.secret("password", PASSWORD)
        self.home("laptop")

    def start(self):
        with self.log.open("ab") as log:
            self.server = subprocess.Popen(
                [SERVER, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}", "--origin", self.origin],
                stdout=log, stderr=subprocess.STDOUT)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.1)

    def stop(self):
        if self.server.poll() is None:
            self.server.terminate()
            self.server.wait(60)

    def secret(self, name, text):
        path = self.folder / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return path

    def home(self, name):
        self.at = self.folder / name
        self.at.mkdir()
        self.seif("init", "--recovery-sheet", self.at / "sheet")

    def seif(self, *words, code=0, docs=True):
        environment = {"HOME": str(self.at), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        if docs:
            environment["SEIF_DOCS"] = self.origin
        done = subprocess.run([SEIF, *words, "--passphrase-file", self.folder / "passphrase"], env=environment,
                              cwd=self.at, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        return done

    def signed_in(self):
        self.seif("login", self.link, "--label", "laptop", "--password-file", self.folder / "password")
        self.seif("docs", "init", "--kit", self.at / "kit")
        (self.at / f"{NAME}.pdf").write_bytes(TEXT)

    def test_from_the_link_to_the_end_of_the_sign_in(self):
        self.seif("docs", "ls", code=77)
        self.signed_in()
        self.seif("login", self.link, "--password-file", self.folder / "password", code=77)
        self.seif("docs", "put", f"{NAME}.pdf", "--to", f"folder-{NAME}", "--parents")
        self.assertIn(f"{NAME}.pdf", self.seif("docs", "ls", "--tree").stdout)
        self.seif("docs", "rotate", "--files", "--kit", self.at / "kit2", "--password-file", self.folder / "password")
        self.seif("docs", "get", f"folder-{NAME}/{NAME}.pdf", "-o", self.at / "back.pdf")
        self.assertEqual((self.at / "back.pdf").read_bytes(), TEXT)
        self.seif("docs", "doctor")
        self.seif("docs", "sync", self.at / "copy")
        self.seif("docs", "cat", f"folder-{NAME}/{NAME}.pdf", "--docs", self.at / "copy", docs=False)
        wrong = self.secret("wrong", "another horse battery")
        self.seif("logout", "--password-file", wrong, code=77)
        self.seif("logout", "--password-file", self.folder / "password")
        self.assertIn("seif login", self.seif("docs", "ls", code=77).stderr)
        self.seif("login", self.origin, "--name", "anna", "--password-file", wrong, code=77)
        self.seif("login", self.origin, "--name", "anna", "--password-file", self.folder / "password")
        self.assertIn(f"{NAME}.pdf", self.seif("docs", "ls", "--tree").stdout)
        self.stop()
        codes = [re.search(r"Recovery code: (\S+)", (self.at / kit).read_text()).group(1) for kit in ("kit", "kit2")]
        places = {"log": self.log.read_bytes(), "wire": bytes(self.wire.seen)}
        places |= {str(path): path.read_bytes() for path in self.data.rglob("*") if path.is_file()}
        self.assertGreater(len(places), 4)
        # What is looked at is what was sent: a password goes over the wire, on this machine in clear.
        for word in (PASSWORD, "/api/v1/vault/manifest", "Bearer seif_"):
            self.assertIn(word.encode(), places["wire"])
        for place, found in places.items():
            for word in (NAME, "only the person", PASSPHRASE, *codes):
                self.assertNotIn(word.encode(), found, place)
            if place != "wire":
                self.assertNotIn(PASSWORD.encode(), found, place)
                self.assertNotRegex(found, rb"seif_[A-Za-z0-9_-]{43}", place)

    def test_two_machines_that_change_it_at_once_lose_nothing(self):
        self.signed_in()
        first, kit = self.at, self.at / "kit"
        code = self.secret("code", re.search(r"Recovery code: (\S+)", kit.read_text()).group(1))
        self.home("desktop")
        second = self.at
        self.seif("login", self.origin, "--name", "anna", "--password-file", self.folder / "password")
        self.seif("docs", "keep", "--docs-code-file", code)
        names = []

        def put(home, number):
            name = f"{home.name}-{number}.txt"
            (home / name).write_text(name)
            names.append(name)
            environment = {"HOME": str(home), "PATH": os.environ["PATH"], "SEIF_DOCS": self.origin}
            done = subprocess.run([SEIF, "docs", "put", name, "--passphrase-file", self.folder / "passphrase"],
                                  env=environment, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

        for number in range(3):
            threads = [threading.Thread(target=put, args=(home, number)) for home in (first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        listed = self.seif("docs", "ls").stdout
        self.assertEqual(len(names), 6)
        for name in names:
            self.assertIn(name, listed)

    def test_an_older_state_of_the_server_is_noticed_and_nothing_is_written(self):
        self.signed_in()
        self.stop()
        shutil.copytree(self.data, self.folder / "older")
        self.start()
        self.seif("docs", "put", f"{NAME}.pdf")
        self.stop()
        shutil.rmtree(self.data)
        shutil.move(self.folder / "older", self.data)
        self.start()
        self.seif("docs", "put", f"{NAME}.pdf", code=2)

    def test_a_server_that_is_away_is_said_and_nothing_is_half_done(self):
        self.signed_in()
        self.stop()
        self.wire.listener.close()
        self.seif("docs", "put", f"{NAME}.pdf", code=74)
        self.seif("logout", "--password-file", self.folder / "password", code=74)
        self.seif("logout", "--local")


if __name__ == "__main__":
    unittest.main()
