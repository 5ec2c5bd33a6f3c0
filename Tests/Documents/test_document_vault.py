"""docs/formats/document-vault.md: each of its rules has vectors or a test, and it says what the vectors say."""
import json
import re
import unittest

import documents

PAGE = documents.ROOT / "docs" / "formats" / "document-vault.md"
VECTORS = json.loads(documents.read(documents.ROOT / "Tests" / "Vectors" / "tapsign-v1.json"))


class DocumentVault(unittest.TestCase):
    def setUp(self):
        self.text = documents.read(PAGE)
        self.rules = re.findall(r"^\| (R\d+) \| (.*) \| (.*) \|$", self.text, re.M)

    def test_rules_are_numbered_without_a_gap(self):
        self.assertGreater(len(self.rules), 30)
        self.assertEqual([name for name, _, _ in self.rules], [f"R{n + 1}" for n in range(len(self.rules))])

    def test_every_rule_has_vectors_or_a_test(self):
        tests = documents.test_names()
        lists = {name for name, rows in VECTORS.items() if isinstance(rows, list) and rows}
        for name, _, held in self.rules:
            holders = re.findall(r"`([^`]+)`", held)
            self.assertTrue(holders, name)
            for holder in holders:
                self.assertIn(holder, tests if "." in holder else lists, name)

    def test_every_list_of_the_vectors_holds_a_rule(self):
        held = " ".join(held for _, _, held in self.rules)
        for name, rows in VECTORS.items():
            if isinstance(rows, list):
                self.assertIn(f"`{name}`", held)

    def test_the_constants_are_those_of_the_vectors(self):
        constants = VECTORS["constants"]
        for value in (constants["prfEvalFirstHex"], constants["hmacSecretSaltHex"], constants["recoveryAlphabet"],
                      f"{constants['rounds']:,}", f"{constants['maxPlaintextBytes']:,}"):
            self.assertIn(value, self.text)
        for name in constants["extensions"]:
            self.assertIn(f"`{name}`", self.text)

    def test_every_problem_of_the_vectors_stands_there(self):
        found = {p["problem"] for row in VECTORS["hostileManifests"] for p in row["expect"].get("problems", [])}
        self.assertGreater(len(found), 10)
        for name in found:
            self.assertIn(f"`{name}`", self.text)

    def test_what_the_draft_says_of_version_1_is_tested(self):
        draft = documents.read(PAGE.with_name("document-vault-v2.md"))
        named = re.findall(r"`([A-Z]\w+Tests\.\w+)`", draft)
        self.assertGreater(len(set(named)), 5)
        for name in named:
            self.assertIn(name, documents.test_names(), name)


if __name__ == "__main__":
    unittest.main()
