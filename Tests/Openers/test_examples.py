"""The sample files of Examples/: as their script makes them, and open by the openers."""
import json
import subprocess
import sys
import unittest

import support

SECRET = (support.EXAMPLES / "phone.passphrase.txt").read_bytes().removesuffix(b"\n")


class Examples(unittest.TestCase):
    def open(self, opener, name):
        return support.opener(opener).open_backup((support.EXAMPLES / name).read_bytes(), SECRET)

    def test_the_script_makes_the_same_bytes_again(self):
        script = str(support.EXAMPLES / "make.py")
        done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_phones_backup_holds_all_kinds_at_the_standard_strength(self):
        top = json.loads((support.EXAMPLES / "phone.authbackup").read_bytes())
        self.assertEqual((top["memoryKiB"], top["passes"], top["lanes"]), (65536, 3, 1))
        body = json.loads(self.open("authbackup_v2", "phone.authbackup"))
        self.assertEqual([a["type"] for a in body["accounts"]], ["totp", "totp", "totp", "hotp", "steam", "totp"])
        self.assertEqual((len(body["passwords"]), len(body["cards"])), (2, 1))

    def test_the_old_backup_has_the_same_accounts_and_no_cards(self):
        old = json.loads(self.open("authbackup_v1", "old-phone.authbackup"))
        self.assertEqual(old["accounts"], json.loads(self.open("authbackup_v2", "phone.authbackup"))["accounts"])
        self.assertNotIn("cards", old)

    def test_the_lists_of_uris_agree(self):
        codes = (support.EXAMPLES / "codes.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(codes), 6)
        vault2fa = json.loads(self.open("vault2fa_v1", "vault2fa-backup-2026-09-10.json"))
        self.assertEqual([a["uri"] for a in vault2fa["accounts"]], codes[:4])
        twofac = self.open("twofac", "twofac-backup-1773457862-0.json").decode("utf-8").splitlines()
        secrets = [uri.split("secret=")[1].split("&")[0] for uri in codes[:4]]
        self.assertEqual([uri.split("secret=")[1].split("&")[0] for uri in twofac], secrets)


if __name__ == "__main__":
    unittest.main()
