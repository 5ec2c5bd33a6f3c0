"""No secret in any byte that was ever written, in none of the spellings; and the search does find one."""
import base64
import unittest

import calls
import canary
import support


class Canary(unittest.TestCase):
    def test_every_byte_ever_written_is_free_of_secrets(self):
        root, log = support.new_root("canary"), support.scratch() / "canary.log"
        support.record(root, log, support.SEED, 62)
        written = calls.read(log)
        self.assertGreater(sum(len(call.data) for call in written), 1_000_000)
        # The log as a whole, with names, and what stands in the files, where neighbouring writes meet.
        self.assertEqual(canary.found_in(log.read_bytes()), [])
        self.assertEqual(canary.found_under(root), [])

    def test_the_search_finds_a_secret_in_each_spelling(self):
        for before in range(6):
            secret = b"\x07" * before + canary.CANARY + b"\x07" * 5
            text = secret.decode()
            for spelled in (secret, text.encode("utf-16-le"), text.encode("utf-16-be"), secret.hex().encode(),
                            secret.hex().upper().encode(), base64.b64encode(secret), base64.urlsafe_b64encode(secret),
                            base64.b32encode(secret), base64.b32encode(secret).lower()):
                self.assertNotEqual(canary.found_in(b"noise " + spelled + b" noise"), [], spelled)
        self.assertEqual(canary.found_in(bytes(range(256)) * 100), [])


if __name__ == "__main__":
    unittest.main()
