"""Both ways between Python and Seif's program: what Python wrote Seif opens, what Seif wrote the openers open.

The program is SEIF_BINARY, else .build/debug/seif. Where it isn't there, or doesn't know a command yet, these tests are
skipped and say so.
"""
import base64
import json
import os
import tempfile
import unittest
import unicodedata
from pathlib import Path

import support
import writers

SECRET = "plum-ladder-quartz-19-river".encode()
ACCENTED = "cr\u00e8me br\u00fbl\u00e9e \u00e0 midi".encode("utf-8")


def needs(*commands):
    """Skips a class of tests unless Seif is there and knows the commands."""
    if support.seif_binary() is None:
        return unittest.skip("Seif's program isn't there: build it, or name it in SEIF_BINARY")
    missing = [command for command in commands if not support.knows(command)]
    return unittest.skip(f"this build of Seif doesn't know: {', '.join(missing)}") if missing else lambda tests: tests


def vault(version):
    secret = lambda n: base64.b32encode(bytes(range(n, n + 20))).decode().rstrip("=")
    entry = lambda i: {"createdAt": "2026-01-02T03:04:05Z", "id": f"00000000-0000-4000-8000-00000000000{i}",
                       "isFavorite": i == 1, "notes": "line one\nline \"two\" ș", "sortIndex": i}
    row = lambda i, **more: {**entry(i), "account": "ana+work@example.com", "issuer": "Example / Mail",
                             "secret": secret(i), "algorithm": "SHA1", "digits": 6, **more}
    body = {"version": version, "exportedAt": "2026-09-17T08:15:30Z", "accounts": [
                row(0, type="totp", period=30), row(1, type="totp", period=60, digits=8, algorithm="SHA512"),
                row(2, type="hotp", counter=9_007_199_254_740_993), row(3, type="steam", digits=5, period=30)],
            "passwords": [{**entry(4), "title": "Example", "username": "ana",
                           "password": "p\u00e4ss \\ \"word\" \U0001F511",
                           "urls": ["https://example.com/login?a=1&b=2"], "updatedAt": "2026-02-03T04:05:06Z"}]}
    if version == 2:
        body["cards"] = [{**entry(5), "name": "Everyday", "number": "4111111111111111", "expiry": "2029-04",
                          "holder": "ANA EXAMPLE", "cvc": "0042"}]
    return body


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def put(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def run_seif(self, *arguments, secrets=(), status=0):
        done = support.seif(*map(str, arguments), descriptors=secrets)
        self.assertEqual(done.returncode, status, done.stderr.decode("utf-8", "replace"))
        for secret in secrets:
            self.assertNotIn(secret, done.stderr)
        return done.stdout

    def records(self, path, secret=SECRET, status=0):
        options = ["--passphrase-fd", "{0}"] if secret else []
        out = self.run_seif("convert", path, "--to", "json", "-o", "-", *options, secrets=[secret] if secret else [],
                            status=status)
        return json.loads(out)

    def same(self, got, body, lists=("accounts", "passwords", "cards")):
        """The values that were written, but for what neutral records may leave out."""
        skipped = {"id", "sortIndex", "isFavorite"}
        of_steam = skipped | {"digits", "period", "algorithm"}
        for name in lists:
            self.assertEqual(len(got.get(name, [])), len(body.get(name, [])), name)
            for a, b in zip(got.get(name, []), body.get(name, [])):
                for key, value in b.items():
                    if key not in (of_steam if b.get("type") == "steam" else skipped):
                        self.assertEqual(a.get(key, ""), value, f"{name}: {key}")


@needs("convert")
class SeifOpensWhatPythonWrote(Case):
    def test_authbackup_in_every_layout(self):
        salt, nonce = os.urandom(16), os.urandom(12)
        for name, write, version in (("v1", writers.authbackup_v1, 1), ("android", writers.authbackup_v1_android, 1),
                                     ("v2", writers.authbackup_v2, 2)):
            with self.subTest(name):
                body = vault(version)
                got = self.records(self.put(f"{name}.authbackup", write(body, SECRET, salt, nonce)))
                self.assertEqual(got["schema"], "seif-records")
                self.same(got, body)

    def test_argon2id_with_more_lanes(self):
        data = writers.authbackup_v2(vault(2), SECRET, os.urandom(16), os.urandom(12), memory_kib=256, passes=2,
                                     lanes=4)
        self.same(self.records(self.put("lanes.authbackup", data)), vault(2))

    def test_a_file_sealed_under_the_decomposed_form_opens_by_the_composed(self):
        under = unicodedata.normalize("NFD", ACCENTED.decode()).encode()
        data = writers.authbackup_v2(vault(2), under, os.urandom(16), os.urandom(12), memory_kib=64, passes=1)
        self.same(self.records(self.put("nfd.authbackup", data), ACCENTED), vault(2))

    def test_a_wrong_passphrase_is_77(self):
        data = writers.authbackup_v2(vault(2), SECRET, os.urandom(16), os.urandom(12), memory_kib=64, passes=1)
        path = self.put("wrong.authbackup", data)
        self.run_seif("convert", path, "--to", "json", "-o", "-", "--passphrase-fd", "{0}",
                      secrets=[b"another passphrase"], status=77)

    def test_vault2fa(self):
        accounts = vault(1)["accounts"]
        rows = [{"uri": writers.key_uri(a), "isFavorite": False, "notes": a["notes"], "sortIndex": a["sortIndex"],
                 "createdAt": a["createdAt"]} for a in accounts]
        data = writers.vault2fa_v1({"app": "Vault2FA", "exported": "2026-09-10T11:00:58Z", "accounts": rows}, SECRET,
                                   os.urandom(16), os.urandom(12), "2026-09-10T11:00:58Z")
        self.same(self.records(self.put("vault2fa.json", data)), {"accounts": accounts}, ("accounts",))

    def test_twofac_plain_and_encrypted(self):
        accounts = [a for a in vault(1)["accounts"] if a["type"] != "steam"]
        uris = [writers.twofac_uri(a) for a in accounts]
        entries = [writers.twofac_entry(uri, "", SECRET, os.urandom(16), os.urandom(12)) for uri in uris]
        keys = {"type", "issuer", "account", "secret", "algorithm", "digits", "counter", "period"}
        wanted = [{k: v for k, v in a.items() if k in keys} for a in accounts]
        for version in (1, 2, 3):
            plain = self.put(f"twofac-backup-1773457862-{version}.json",
                             writers.twofac(version, 1773457862, uris=uris))
            self.same(self.records(plain, None), {"accounts": wanted}, ("accounts",))
            if version > 1:
                sealed = self.put(f"twofac-backup-1773457863-{version}.json",
                                  writers.twofac(version, 1773457863, entries=entries))
                self.same(self.records(sealed), {"accounts": wanted}, ("accounts",))

    def test_the_examples(self):
        secret = (support.EXAMPLES / "phone.passphrase.txt").read_bytes().removesuffix(b"\n")
        for name, count in (("phone.authbackup", 6), ("old-phone.authbackup", 6),
                            ("vault2fa-backup-2026-09-10.json", 4), ("twofac-backup-1773457862-0.json", 4),
                            ("codes.txt", 6)):
            with self.subTest(name):
                got = self.records(support.EXAMPLES / name, None if name == "codes.txt" else secret)
                self.assertEqual(len(got["accounts"]), count)


@needs("convert")
class OpenersOpenWhatSeifWrote(Case):
    """`convert --to FORMAT -o OUT` of a file that Python wrote, opened by the opener of the target."""

    def convert(self, name, out, *options, version=2, new=SECRET, status=0):
        data = writers.authbackup_v2(vault(version), SECRET, os.urandom(16), os.urandom(12), memory_kib=64, passes=1)
        source = self.put("source.authbackup", data)
        path = self.folder / out
        self.run_seif("convert", source, "--to", name, "-o", path, "--passphrase-fd", "{0}", "--new-passphrase-fd",
                      "{1}", *options, secrets=[SECRET, new], status=status)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        return path.read_bytes()

    def opened(self, opener, data, secret=SECRET):
        return support.opener(opener).open_backup(data, secret)

    def test_authbackup_version_2_is_the_body_that_went_in(self):
        data = self.convert("authbackup", "out.authbackup")
        top = json.loads(data)
        self.assertEqual(set(top), {"format", "version", "kdf", "memoryKiB", "passes", "lanes", "salt", "cipher",
                                    "nonce", "ciphertext", "tag"})
        self.assertEqual((top["version"], top["kdf"]), (2, "Argon2id"))
        self.assertEqual((top["memoryKiB"], top["passes"], top["lanes"]), (65536, 3, 1))
        body = self.opened("authbackup_v2", data)
        self.same(json.loads(body), vault(2))
        self.assertEqual(writers.canonical(json.loads(body)), body, "the canonical text")
        self.assertNotIn(b'"seif"', body)

    def test_a_new_passphrase_is_sealed_under_its_composed_form(self):
        typed = unicodedata.normalize("NFD", ACCENTED.decode()).encode()
        body = self.opened("authbackup_v2", self.convert("authbackup", "nfc.authbackup", new=typed), ACCENTED)
        self.same(json.loads(body), vault(2))

    def test_vault2fa(self):
        data = self.convert("vault2fa", "out.json", status=1)  # passwords and cards don't fit: named, and 1
        body = json.loads(self.opened("vault2fa_v1", data))
        self.assertEqual(len(body["accounts"]), 4)
        for row, account in zip(body["accounts"], vault(2)["accounts"]):
            self.assertTrue(row["uri"].startswith(f"otpauth://{account['type']}/"))
            self.assertIn(account["secret"], row["uri"])


@needs("init", "import", "export")
class OpenersOpenWhatAVaultExported(Case):
    def test_export_to_authbackup(self):
        data = writers.authbackup_v2(vault(2), SECRET, os.urandom(16), os.urandom(12), memory_kib=64, passes=1)
        source = self.put("source.authbackup", data)
        home = self.folder / "vault"
        made = support.seif("init", "--vault", str(home), "--passphrase-fd", "{0}", descriptors=[SECRET])
        if made.returncode == 64:
            self.skipTest("this build of Seif makes no vault without a terminal")
        self.assertEqual(made.returncode, 0, made.stderr.decode("utf-8", "replace"))
        self.run_seif("import", source, "--vault", home, "--passphrase-fd", "{0}", "--vault-passphrase-fd", "{1}",
                      secrets=[SECRET, SECRET])
        out = self.folder / "out.authbackup"
        self.run_seif("export", "--yes", "--to", "authbackup", "-o", out, "--vault", home, "--vault-passphrase-fd", "{0}",
                      "--new-passphrase-fd", "{1}", secrets=[SECRET, SECRET])
        self.same(json.loads(support.opener("authbackup_v2").open_backup(out.read_bytes(), SECRET)), vault(2))


if __name__ == "__main__":
    unittest.main()
