"""What the threat model says of the vault's file: what a thief reads in it, and that a change to it shows."""
import base64
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import documents

PASSPHRASE = "vault-file walnut 17 lantern"
SEED = "IZQW4Y3ZKNSWKZCGN5ZEGYLOMFZHSMRR"
TEXTS = ["Named Forge", "ana@named.example", "tag-of-mine", "host.named.example", "Pass-word-1 ripple",
         "Note of mine 55", "4111111111111111", "New name after", PASSPHRASE]
RECORDS = {
    "schema": "seif-records", "version": 1, "source": {"format": "json", "version": 1},
    "accounts": [{"type": "totp", "issuer": "Named Forge", "account": "ana@named.example", "secret": SEED,
                  "algorithm": "SHA1", "digits": 6, "period": 30, "tags": ["tag-of-mine"]},
                 {"type": "totp", "issuer": "Second", "account": "bob", "secret": SEED[::-1].replace("1", "A")}],
    "passwords": [{"title": "Named Login", "username": "ana@named.example", "password": "Pass-word-1 ripple",
                   "urls": ["https://host.named.example"]}],
    "cards": [{"name": "A card", "number": "4111111111111111"}],
    "notes": [{"title": "A note", "text": "Note of mine 55"}],
}


class Place:
    """A vault with its state, in a folder of its own."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.file = self.folder / "vault" / "vault.db"

    def seif(self, *arguments):
        environment = {"HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"), "LANG": "C.UTF-8",
                       "SEIF_VAULT": str(self.folder / "vault"), "PATH": os.environ["PATH"]}
        return subprocess.run([str(documents.seif_binary()), *arguments], env=environment, cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def done(self, *arguments):
        result = self.seif(*arguments)
        if result.returncode != 0:
            raise AssertionError(f"{arguments[0]}: {result.returncode} {result.stderr}")
        return result.stdout

    def status(self):
        return self.seif("status", "--passphrase-file", "passphrase.in-clear")

    def change(self, *statements):
        """Does to the file what a stranger with SQLite can do."""
        database = sqlite3.connect(self.file)
        with database:
            for statement, *values in statements:
                database.execute(statement, values)
        database.close()

    def rows(self, query):
        database = sqlite3.connect(self.file)
        found = database.execute(query).fetchall()
        database.close()
        return found


@unittest.skipUnless(documents.seif_binary(), "no program")
class VaultFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.top.cleanup)
        cls.place = place = Place(Path(cls.top.name) / "now")
        place.folder.mkdir()
        for name, text in (("passphrase.in-clear", PASSPHRASE), ("records.in-clear", json.dumps(RECORDS))):
            (place.folder / name).write_text(text + "\n")
            (place.folder / name).chmod(0o600)
        key = ("--passphrase-file", "passphrase.in-clear")
        place.done("init", *key, "--recovery-sheet", "sheet.in-clear")
        place.done("import", "records.in-clear", "--vault-passphrase-file", "passphrase.in-clear")
        cls.older = Path(cls.top.name) / "older.db"
        shutil.copy(place.file, cls.older)
        place.done("edit", "Second", "--name", "New name after", *key)
        place.done("remove", "A note", *key)
        (place.folder / "backups").mkdir()
        place.done("backup", "create", "--destination", "backups", *key, "--new-passphrase-file", "passphrase.in-clear")
        assert place.status().returncode == 0

    def copy(self):
        folder = tempfile.mkdtemp(dir=self.top.name)
        shutil.copytree(self.place.folder, folder, dirs_exist_ok=True)
        return Place(folder)

    def test_no_name_and_no_secret_is_in_any_file(self):
        sheet = (self.place.folder / "sheet.in-clear").read_text()
        code = next(line.strip() for line in sheet.splitlines() if line.count("-") == 5)
        secrets = [text.encode().hex() for text in [*TEXTS, code, code.replace("-", "")]]
        secrets.append(base64.b32decode(SEED).hex())
        done = subprocess.run([sys.executable, str(documents.ROOT / "scripts" / "canary"), str(self.place.folder)],
                              input="\n".join(secrets), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        # The search finds them where they are.
        (self.place.folder / "control").write_text(SEED)
        done = subprocess.run([sys.executable, str(documents.ROOT / "scripts" / "canary"), str(self.place.folder)],
                              input="\n".join(secrets), capture_output=True, text=True, timeout=60)
        (self.place.folder / "control").unlink()
        self.assertEqual(done.returncode, 1)

    def test_what_is_readable_is_what_the_page_says(self):
        clear = {}
        for table, in self.place.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            for _, column, kind, *_ in self.place.rows(f"PRAGMA table_info({table})"):
                if kind != "BLOB":
                    clear.setdefault(table, set()).add(column)
        self.assertEqual(clear.pop("way_in"), {"position", "revision", "kind", "generation", "parameters"})
        self.assertEqual(clear.pop("vault"), {"revision", "generation", "created_at"})
        self.assertLessEqual(set().union(*clear.values()), {"position", "revision", "step"})
        for kind, parameters in self.place.rows("SELECT kind, parameters FROM way_in"):
            allowed = {"createdAt", "salt", "kdf", "lanes", "memoryKiB", "passes", "rounds"}
            self.assertLessEqual(set(json.loads(parameters)), allowed, kind)

    def test_a_changed_moved_or_missing_value_shows(self):
        (first, second), old = self.items(), dict(self.old_items())
        flipped = bytes([first["summary"][40] ^ 1])
        changes = {
            "a flipped bit": [("UPDATE item_summary SET summary = ? WHERE id = ?",
                               first["summary"][:40] + flipped + first["summary"][41:], first["id"])],
            "summaries exchanged": [("UPDATE item_summary SET summary = ? WHERE id = ?", second["summary"], first["id"]),
                                    ("UPDATE item_summary SET summary = ? WHERE id = ?", first["summary"], second["id"])],
            "a detail copied": [("UPDATE item SET detail = ? WHERE id = ?", second["detail"], first["id"])],
            "an entry removed": [("DELETE FROM item WHERE id = ?", first["id"])],
            "a seed removed": [("DELETE FROM secret WHERE position = (SELECT min(position) FROM secret)",)],
            "seeds exchanged": [("UPDATE secret SET value = "
                                 "(SELECT value FROM secret AS other WHERE other.id != secret.id)",)],
            "an old row put back": [("UPDATE item SET detail = ?, revision = ? WHERE id = ?",
                                     *old[second["id"]][1:], second["id"]),
                                    ("UPDATE item_summary SET summary = ?, revision = ? WHERE id = ?",
                                     *old[second["id"]][::2], second["id"])],
            "an old summary put back": [("UPDATE item_summary SET summary = ?, revision = ? WHERE id = ?",
                                         *old[second["id"]][::2], second["id"])],
            "the bin emptied": [("DELETE FROM bin",)],
            "the ledger cut": [("DELETE FROM proofs WHERE position = (SELECT max(position) FROM proofs)",)],
            "the order changed": [("UPDATE item SET position = position + 1000 WHERE id = ?", first["id"])],
            "a revision raised": [("UPDATE item SET revision = revision + 1 WHERE id = ?", first["id"])],
        }
        for name, statements in changes.items():
            with self.subTest(name):
                place = self.copy()
                before = self.content(place)
                place.change(*statements)
                self.assertNotEqual(before, self.content(place))
                result = place.status()
                # 2: said, and the rest can be read; 65: nothing can be.
                self.assertIn(result.returncode, (2, 65), result.stdout + result.stderr)

    def test_a_changed_way_in_does_not_open(self):
        for change in ("parameters = replace(parameters, '\"passes\":3', '\"passes\":2')",
                       "generation = generation + 1", "wrapped_key = zeroblob(length(wrapped_key))"):
            with self.subTest(change):
                place = self.copy()
                before = place.rows("SELECT * FROM way_in")
                place.change(("UPDATE way_in SET " + change,))
                self.assertNotEqual(before, place.rows("SELECT * FROM way_in"))
                self.assertIn(place.status().returncode, (65, 77))

    def test_an_older_copy_put_back_shows(self):
        place = self.copy()
        shutil.copy(self.older, place.file)
        result = place.status()
        self.assertEqual(result.returncode, 2)
        self.assertIn("older copy", result.stdout)

    def test_a_trigger_or_a_table_of_a_stranger_is_refused(self):
        for statement in ("CREATE TABLE more (a)", "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM bin; END"):
            with self.subTest(statement):
                place = self.copy()
                place.change((statement,))
                before = place.file.read_bytes()
                self.assertEqual(place.status().returncode, 65)
                self.assertEqual(place.file.read_bytes(), before)

    def test_a_wrong_passphrase_is_refused_and_the_recovery_code_opens(self):
        place = self.copy()
        (place.folder / "wrong").write_text("another passphrase\n")
        (place.folder / "wrong").chmod(0o600)
        self.assertEqual(place.seif("list", "--passphrase-file", "wrong").returncode, 77)
        sheet = (place.folder / "sheet.in-clear").read_text()
        code = next(line.strip() for line in sheet.splitlines() if line.count("-") == 5)
        (place.folder / "code.in-clear").write_text(code + "\n")
        (place.folder / "code.in-clear").chmod(0o600)
        listed = place.done("list", "--recovery-code", "--passphrase-file", "code.in-clear")
        self.assertIn("Named Forge", listed)

    @staticmethod
    def content(place):
        return [place.rows(f"SELECT * FROM {table}") for table in ("item", "item_summary", "secret", "bin", "proofs")]

    def items(self):
        names = ("id", "summary", "detail", "revision")
        rows = self.place.rows("SELECT id, summary, detail, item.revision FROM item JOIN item_summary USING (id) "
                               "ORDER BY item.position LIMIT 2")
        return [dict(zip(names, row)) for row in rows]

    def old_items(self):
        database = sqlite3.connect(self.older)
        for row in database.execute("SELECT id, summary, detail, item.revision FROM item JOIN item_summary USING (id)"):
            yield row[0], row[1:]
        database.close()


if __name__ == "__main__":
    unittest.main()
