"""Destinations that the crash tests kill Seif at: each with a server of its own, and its files in a folder here."""
import os
import shutil
import socket
import subprocess
import sys
import time

import support

# The tests change its files without asking it.
FRESH = ("--dir-cache-time", "0s")
EXTERNAL = support.ROOT / "Examples" / "transports" / "folder.sh"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Place:
    """A folder at a path, which needs no settings."""
    name = kind = "folder"

    def __init__(self):
        self.base = support.scratch() / f"place-{self.kind}"
        self.files = self.base / "files"
        self.files.mkdir(parents=True)
        self.server = None
        self.start()

    @property
    def destination(self):
        return str(self.files)

    def start(self):
        """Starts what serves the folder."""

    def begin(self, root):
        """A vault's folder is there."""

    def settings(self):
        """The fields of its settings, and the secret one."""
        return None, None

    def serve(self, words, port, **variables):
        log = open(self.base / "server.log", "wb")
        self.server = subprocess.Popen([str(word) for word in words], env={**os.environ, **variables}, stdout=log,
                                       stderr=log, stdin=subprocess.DEVNULL)
        log.close()
        for _ in range(600):
            if self.server.poll() is not None:
                raise AssertionError(f"{self.kind}: {(self.base / 'server.log').read_text()[-400:]}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{self.kind}: the server doesn't listen")

    def stored(self):
        """Each whole file there, by name."""
        return {path.name: path.read_bytes() for path in self.files.iterdir()
                if path.is_file() and path.name.startswith("seif-backup-")}

    def close(self):
        if self.server:
            self.server.kill()
            self.server.wait()


class Inside(Place):
    """A folder beside the vault, so that one recording has the calls of both."""
    name = kind = "inside"

    def begin(self, root):
        self.files = root / "place"
        self.files.mkdir()


class Named(Place):
    """One that the vault keeps settings of."""
    @property
    def destination(self):
        return f"the-{self.kind}"


class ICloud(Named):
    name = kind = "icloud"

    def start(self):
        self.files = self.base / "files" / "Documents" / "TwoFacBackups"
        self.files.mkdir(parents=True)

    def settings(self):
        return {"path": self.base / "files"}, None


class External(Named):
    name = kind = "external"

    def settings(self):
        return {"program": EXTERNAL, "argument": self.files}, None


class WebDAV(Named):
    name = kind = "webdav"

    def start(self):
        self.port = free_port()
        self.serve([rclone(), "serve", "webdav", self.files, "--addr", f"127.0.0.1:{self.port}", *FRESH], self.port,
                   RCLONE_USER="seif", RCLONE_PASS="of-the-test", RCLONE_CONFIG="/dev/null")

    def settings(self):
        return {"url": f"http://127.0.0.1:{self.port}/", "user": "seif"}, "of-the-test"


class S3(Named):
    name = kind = "s3"

    def start(self):
        self.port = free_port()
        (self.base / "served").mkdir()
        self.files = self.base / "served" / "bucket"
        self.files.mkdir()
        self.serve([rclone(), "serve", "s3", self.base / "served", "--addr", f"127.0.0.1:{self.port}", "--auth-key",
                    "seif,of-the-test", *FRESH], self.port, RCLONE_CONFIG="/dev/null")

    def settings(self):
        return {"endpoint": f"http://127.0.0.1:{self.port}", "bucket": "bucket", "access-key": "seif"}, "of-the-test"


class SFTP(Named):
    name = kind = "sftp"

    def start(self):
        os.makedirs("/run/sshd", exist_ok=True)
        self.port = free_port()
        for key in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.base / key], check=True)
        host = " ".join((self.base / "host.pub").read_text().split()[:2])
        for name, text in {
            "authorized_keys": (self.base / "client.pub").read_text(),
            "known_hosts": f"[127.0.0.1]:{self.port} {host}\n",
            "server": f"ListenAddress 127.0.0.1:{self.port}\nHostKey {self.base}/host\n"
                      f"AuthorizedKeysFile {self.base}/authorized_keys\nAuthenticationMethods publickey\n"
                      "PermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPidFile none\n"
                      "Subsystem sftp internal-sftp\n",
            "client-config": f"Host seif-crash\n  HostName 127.0.0.1\n  Port {self.port}\n"
                             f"  IdentityFile {self.base}/client\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                             f"  UserKnownHostsFile {self.base}/known_hosts\n  GlobalKnownHostsFile none\n",
        }.items():
            (self.base / name).write_text(text)
            (self.base / name).chmod(0o600)
        # Seif asks for `ssh`; this one knows where the test's configuration lies.
        self.programs = self.base / "programs"
        self.programs.mkdir()
        (self.programs / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.base}/client-config "$@"\n')
        (self.programs / "ssh").chmod(0o755)
        self.serve(["/usr/sbin/sshd", "-D", "-e", "-f", self.base / "server"], self.port)

    def settings(self):
        return {"host": "seif-crash", "folder": self.files}, None


class Cloud(Named):
    """The stand-in of services that a person allows in a browser: the permission comes with an import here."""
    def start(self):
        self.port = free_port()
        program = support.ROOT / "Tests" / "StandIns" / "cloud.py"
        self.serve([sys.executable, "-B", program, str(self.port), self.files], self.port)

    def imported(self):
        """The fields of its entry, and those that are secret."""
        server = f"http://127.0.0.1:{self.port}"
        return ({"account": "ana@example.com", "api": server, "accounts": server},
                {"refresh-token": "seif-standing-refresh-token"})


class GoogleDrive(Cloud):
    name = kind = "google-drive"

    def imported(self):
        fields, secrets = super().imported()
        return (fields | {"client-id": "seif-crash", "tokens": fields["api"]},
                secrets | {"client-secret": "seif-client-secret"})


class Dropbox(Cloud):
    name = kind = "dropbox"

    def imported(self):
        fields, secrets = super().imported()
        return fields | {"app-key": "seif-crash", "content": fields["api"]}, secrets


ALL = (ICloud, External, WebDAV, S3, SFTP, GoogleDrive, Dropbox)


def rclone():
    beside = [os.path.join(os.path.dirname(sys.executable), "rclone"), str(support.ROOT / "build" / "venv" / "bin" / "rclone")]
    found = next((path for path in beside if os.access(path, os.X_OK)), None) or shutil.which("rclone")
    if found is None:
        raise AssertionError("no rclone: scripts/set-up test")
    return found
