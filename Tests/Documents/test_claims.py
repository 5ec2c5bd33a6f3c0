"""What the documents claim about safety names the tests that show it, and those tests exist."""
import re
import unittest

import documents

NAMED = re.compile(r"`(\w+\.\w+)`")
# An item that ends so is a claim.
SHOWN = re.compile(r"Shown by ((?:`\w+\.\w+`(?:, )?)+)\.$")


class Claims(unittest.TestCase):
    def claims(self, path):
        """The items with their tests, those without one last."""
        for item in documents.items(documents.read(path)):
            match = SHOWN.search(item)
            yield item, NAMED.findall(match.group(1)) if match else []

    def test_every_named_test_exists(self):
        names = documents.test_names()
        self.assertGreater(len(names), 300)
        for path in (documents.THREATS, documents.NEVER, documents.BACKUP_CLAIMS):
            for item, tests in self.claims(path):
                for test in tests:
                    with self.subTest(page=path.name, test=test):
                        self.assertTrue(test in names, "no such test")

    def test_every_line_of_never_names_a_test(self):
        lines = list(self.claims(documents.NEVER))
        self.assertGreater(len(lines), 20)
        for item, tests in lines:
            with self.subTest(item=item):
                self.assertTrue(item.startswith("Never "))
                self.assertTrue(tests, "no test is named")

    def test_every_claim_of_backups_has_its_number_and_names_a_test(self):
        lines = list(self.claims(documents.BACKUP_CLAIMS))
        self.assertEqual([item.split(". ")[0] for item, _ in lines], [f"T{number}" for number in range(1, 24)])
        self.assertEqual([item for item, tests in lines if not tests], [])

    def test_every_claim_of_the_threat_model_names_a_test(self):
        before, after = documents.read(documents.THREATS).split("\n## What isn't protected\n")
        claims = documents.items(before)
        self.assertGreater(len(claims), 20)
        for item in claims:
            with self.subTest(item=item):
                self.assertRegex(item, SHOWN)
                self.assertRegex(item, r'^<a id="[a-z-]+"></a>')
        self.assertGreater(len(documents.items(after)), 5)

    def test_a_claim_has_one_place(self):
        places = re.findall(r'<a id="([^"]+)"></a>', documents.read(documents.THREATS))
        self.assertEqual(len(places), len(set(places)))

    def test_the_threat_model_ends_with_its_review_status(self):
        self.assertTrue(documents.read(documents.THREATS).endswith(
            "\nReview status: no external review has taken place.\n"))

    def test_what_the_readme_claims_of_safety_stands_in_the_threat_model(self):
        section = documents.read(documents.README).split("\n## Safety\n")[1].split("\n## ")[0]
        claims = documents.items(section)
        self.assertGreater(len(claims), 4)
        for item in claims:
            with self.subTest(item=item):
                self.assertRegex(item, r"\(docs/threat-model\.md#[a-z-]+\)")


class Documents(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        count = 0
        for path in documents.pages():
            text = documents.without_code(documents.read(path))
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, place = target.partition("#")
                with self.subTest(page=documents.shown(path), link=target):
                    file = (path.parent / name).resolve() if name else path
                    self.assertTrue(file.exists(), "no such file")
                    if place:
                        self.assertIn(place, documents.anchors(file))
        self.assertGreater(count, 30)

    def test_every_page_is_reached_from_the_readme(self):
        reached, waiting = set(), [documents.README]
        while waiting:
            path = waiting.pop()
            if path in reached:
                continue
            reached.add(path)
            for target in re.findall(r"\]\(([^)#\s]+\.md)", documents.read(path)):
                file = (path.parent / target).resolve()
                if file.exists():
                    waiting.append(file)
        self.assertEqual([], [documents.shown(p) for p in documents.pages() if p not in reached])

    def test_lines_have_at_most_120_columns(self):
        for path in documents.pages():
            for number, line in enumerate(documents.read(path).splitlines(), 1):
                # A row of a table is one line.
                if not line.startswith("|"):
                    with self.subTest(page=documents.shown(path), line=number):
                        self.assertLessEqual(len(line), 120)


if __name__ == "__main__":
    unittest.main()
