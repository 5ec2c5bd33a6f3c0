"""docs/formats: each page has its parts, and says what the vectors and openers say."""
import json
import re
import unittest

import seifvec
import support

PAGES = support.ROOT / "docs" / "formats"
SECTIONS = ("Why these choices", "What this doesn't protect", "Changes by version")


def page(name):
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


class Pages(unittest.TestCase):
    def test_every_page_has_its_sections(self):
        names = {path.stem for path in PAGES.glob("*.md")} - {"README"}
        self.assertGreaterEqual(names, {"authbackup-v1", "authbackup-v2", "authbackup-body", "vault2fa-v1", "twofac",
                                        "key-uri", "neutral-json", "uri-list"})
        for name in names:
            for section in SECTIONS:
                self.assertIn(f"\n## {section}\n", page(name), name)

    def test_links_lead_somewhere(self):
        for path in [*PAGES.glob("*.md"), support.EXAMPLES / "README.md", support.VECTORS / "README.md"]:
            for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
                self.assertTrue((path.parent / target).exists(), f"{path.name}: {target}")

    def test_every_key_of_the_schema_stands_on_the_bodys_page(self):
        text = page("authbackup-body")
        for keys in seifvec.SCHEMA.values():
            for key in keys.split():
                self.assertRegex(text, rf"[`\"]{key}[`\"]", key)

    def test_every_key_of_a_written_header_stands_on_its_page(self):
        for vectors, name in (("authbackup-v1", "authbackup-v1"), ("authbackup-v2", "authbackup-v2"),
                              ("vault2fa-v1", "vault2fa-v1")):
            header = json.loads(support.load(vectors)[0]["file"])
            for key, value in header.items():
                for full in [f"{key}.{inner}" for inner in value] if isinstance(value, dict) else [key]:
                    self.assertIn(f"| `{full}` |", page(name), full)

    def test_limits_are_those_of_the_vectors(self):
        limits = seifvec.LIMITS
        argon = limits["argon2id"]
        for number in (argon["memoryKiB"]["max"], argon["memoryKiB * passes"]["max"]):
            self.assertIn(f"{number:,}", page("authbackup-v2"))
        for name in ("authbackup-v1", "vault2fa-v1"):
            self.assertIn(f"1 to {limits['pbkdf2Rounds']['max']:,}", page(name))
        self.assertEqual((argon["lanes"]["max"], argon["passes"]["max"]), (16, 64))
        self.assertIn("| `lanes` | 1 to 16 |\n| `passes` | 1 to 64 |", page("authbackup-v2"))


if __name__ == "__main__":
    unittest.main()
