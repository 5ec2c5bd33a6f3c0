"""The openers of docs/openers against the vectors of Tests/Vectors.

    python3 -m unittest discover -s Tests/Openers        (from the package's root)

A file that must open opens to the same bytes; a hostile one that must not open is refused.
"""
import base64
import concurrent.futures
import contextlib
import io
import json
import multiprocessing
import re
import tempfile
import unittest
from pathlib import Path

from cryptography.exceptions import InvalidTag

import support

GOOD = {"authbackup-v1": "authbackup_v1", "authbackup-v1-android": "authbackup_v1", "authbackup-v2": "authbackup_v2",
        "authbackup-v2-whole": "authbackup_v2", "vault2fa-v1": "vault2fa_v1"}
OPENS = ("open", "open-with-problems")
_modules = {}


def module(name):
    if name not in _modules:
        _modules[name] = support.opener(name)
    return _modules[name]


def attempt(task):
    """-> hex of the body, or the error's name (any other error fails the test). In a worker process: two at a time."""
    name, data, secret = task
    try:
        return module(name).open_backup(data, secret).hex()
    except InvalidTag:
        return "InvalidTag"
    except ValueError:
        return "ValueError"


def attempts(tasks):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(attempt, tasks, chunksize=4))


class FilesThatOpen(unittest.TestCase):
    def test_every_good_vector_opens_to_its_bytes_and_not_with_a_wrong_passphrase(self):
        rows, tasks = [], []
        for name, opener in GOOD.items():
            vectors = support.load(name)
            self.assertGreater(len(vectors), 10, name)
            for v in vectors:
                data = support.file_bytes(v)
                rows.append((name, v["name"], v["plaintextHex"]))
                tasks.append((opener, data, bytes.fromhex(v["passphraseHex"])))
                for wrong in v.get("wrongPassphrases", ())[:1]:
                    rows.append((name, v["name"] + ", wrong passphrase", "InvalidTag"))
                    tasks.append((opener, data, bytes.fromhex(wrong["hex"])))
        for row, got in zip(rows, attempts(tasks), strict=True):
            with self.subTest(row[:2]):
                self.assertEqual(got, row[2])


class HostileFiles(unittest.TestCase):
    def openers_for(self, v):
        """The opener of the layout that a hostile file was made from, and, where its version is in doubt, both."""
        if v["format"] == "vault2fa-backup":
            return ["vault2fa_v1"]
        return ["authbackup_v2" if v["base"] == "authbackup-v2" else "authbackup_v1"]

    def test_what_must_not_open_is_refused_and_what_may_opens_to_its_bytes(self):
        rows, tasks, heavy = [], [], 0
        for name in ("authbackup-hostile", "vault2fa-hostile"):
            vectors = support.load(name)["vectors"]
            self.assertGreater(len(vectors), 100, name)
            for v in vectors:
                if v.get("heavy"):
                    heavy += 1
                    continue
                for opener in self.openers_for(v):
                    rows.append((opener, v))
                    tasks.append((opener, support.file_bytes(v), bytes.fromhex(v["passphraseHex"])))
        self.assertLess(heavy, 12, "heavy vectors are left out; there should be few")
        opened = refused = 0
        for (opener, v), got in zip(rows, attempts(tasks), strict=True):
            with self.subTest(v["name"]):
                if v["expect"]["class"] in OPENS and got != "ValueError":
                    self.assertEqual(got, v.get("plaintextHex", got))
                    self.assertNotEqual(got, "InvalidTag")
                    opened += 1
                elif v["expect"]["class"] in OPENS:
                    self.assertIn("unreadable", v["expect"]["acceptable"], "a file that should open was refused")
                elif v["expect"]["class"] == "cannot-open":
                    self.assertEqual(got, "InvalidTag")
                    refused += 1
                else:
                    self.assertEqual(got, "ValueError")
                    refused += 1
        self.assertGreater(opened, 20)
        self.assertGreater(refused, 500)


class TwoFac(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vectors = support.load("twofac")
        cls.reader = support.opener("twofac")

    def open(self, data, passkey):
        with contextlib.redirect_stderr(io.StringIO()) as self.said:
            return self.reader.open_backup(data, passkey)

    def data(self, v):
        return v["text"].encode("utf-8") if "text" in v else base64.b64decode(v["base64"])

    def test_every_file_that_opens_gives_its_uris(self):
        self.assertGreater(len(self.vectors["files"]), 10)
        for v in self.vectors["files"]:
            with self.subTest(v["name"]):
                entries = v["expect"]["entries"]
                controls = lambda uri: re.sub(r"[\0-\x1f\x7f]", lambda c: f"%{ord(c[0]):02X}", uri)
                wanted = [controls(e["uri"]) for e in entries if "uri" in e]
                got = self.open(self.data(v), (v["passkey"] or "").encode("utf-8")).decode("utf-8").split("\n")[:-1]
                self.assertEqual(got, wanted)

    def test_every_file_to_be_refused_is_refused(self):
        for v in self.vectors["refuse_files"]:
            with self.subTest(v["name"]), self.assertRaises(ValueError):
                self.open(self.data(v), b"correct horse battery staple")

    def test_an_entry_to_be_refused_is_named_and_costs_no_other(self):
        good = self.vectors["sealed"][0]
        keep = {k: good[k] for k in ("accountLabel", "salt", "encryptedURI")}
        for v in self.vectors["refuse_entries"]:
            bad = {"accountLabel": "", "salt": v["salt"], "encryptedURI": v["encryptedURI"]}
            top = {"schemaVersion": 2, "createdAt": 1, "encrypted": True, "accounts": []}
            with self.subTest(v["name"]):
                with self.assertRaises(ValueError):
                    self.open(json.dumps({**top, "encryptedAccounts": [bad]}).encode(), v["passkey"].encode("utf-8"))
                if v["passkey"] == good["passkey"]:
                    both = json.dumps({**top, "encryptedAccounts": [bad, keep]}).encode()
                    self.assertEqual(self.open(both, v["passkey"].encode()).decode(), good["uri"] + "\n")
                    self.assertTrue(self.said.getvalue().startswith("entry 0: "))


class Programs(unittest.TestCase):
    """As a person runs them."""

    def test_an_opener_is_shorter_than_sixty_lines(self):
        files = sorted(support.OPENERS.glob("*.py"))
        self.assertEqual([path.stem for path in files],
                         ["authbackup_v1", "authbackup_v2", "document_vault", "twofac", "vault", "vault2fa_v1"])
        for path in files:
            lines = path.read_text(encoding="utf-8").splitlines()
            # One of them opens a whole folder.
            self.assertLess(len(lines), 80 if path.stem == "document_vault" else 60, path.name)
            self.assertLessEqual(max(map(len, lines)), 120, path.name)

    def test_an_opener_needs_nothing_but_python_and_the_two_packages(self):
        allowed = {"base64", "contextlib", "getpass", "hashlib", "itertools", "json", "pathlib", "re", "sqlite3", "sys",
                   "unicodedata", "uuid", "argon2.low_level", "cryptography.exceptions",
                   "cryptography.hazmat.primitives", "cryptography.hazmat.primitives.ciphers.aead",
                   "cryptography.hazmat.primitives.kdf.hkdf"}
        for path in support.OPENERS.glob("*.py"):
            text = path.read_text(encoding="utf-8")
            found = set(re.findall(r"^from (\S+) import", text, re.M))
            for line in re.findall(r"^import (.+)$", text, re.M):
                found |= {name.strip() for name in line.split(",")}
            self.assertLessEqual(found, allowed, path.name)

    def run_vector(self, vectors, name, opener, secret=None):
        v = next(v for v in support.load(vectors) if v["name"] == name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "backup"
            path.write_bytes(support.file_bytes(v))
            return v, support.run_opener(opener, path, secret or bytes.fromhex(v["passphraseHex"]))

    def test_the_body_is_all_that_stands_on_standard_output(self):
        for vectors, name, opener in (("authbackup-v1", "rounds-1000", "authbackup_v1"),
                                      ("authbackup-v2", "passphrase-spaces-kept", "authbackup_v2"),
                                      ("vault2fa-v1", "passphrase-cjk", "vault2fa_v1")):
            v, done = self.run_vector(vectors, name, opener)
            self.assertEqual((done.returncode, done.stdout.hex(), done.stderr), (0, v["plaintextHex"], b""))

    def test_a_passphrase_typed_in_another_normal_form_opens(self):
        other = bytes.fromhex(next(v for v in support.load("authbackup-v2") if v["name"] == "passphrase-decomposed")
                              ["passphraseHex"])
        v, done = self.run_vector("authbackup-v2", "passphrase-composed", "authbackup_v2", other)
        self.assertEqual((done.returncode, done.stdout.hex()), (0, v["plaintextHex"]))

    def test_a_wrong_passphrase_gives_one_sentence_and_no_output(self):
        _, done = self.run_vector("authbackup-v1", "rounds-1000", "authbackup_v1", b"not this one")
        self.assertEqual(done.returncode, 1)
        self.assertEqual((done.stdout, done.stderr), (b"", b"wrong passphrase, or the file was damaged or altered\n"))


if __name__ == "__main__":
    unittest.main()
