"""What is installed beside the program can be read there: every link leads somewhere."""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import documents


class InstalledDocuments(unittest.TestCase):
    def test_every_link_of_the_installed_documents_leads_somewhere(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "usr" / "share" / "doc" / "seif"
            # What an earlier version had isn't left behind.
            folder.mkdir(parents=True)
            (folder / "old.md").write_text("old")
            subprocess.run(["make", "-s", "-C", str(documents.ROOT), "install-documents", f"DESTDIR={name}",
                            "PREFIX=/usr"], check=True)
            self.assertFalse((folder / "old.md").exists())
            pages = sorted(folder.rglob("*.md"))
            self.assertIn(folder / "README.md", pages)
            self.assertIn(folder / "Examples" / "README.md", pages)
            count = 0
            for page in pages:
                for target in re.findall(r"\]\(([^)\s]+)\)", documents.without_code(documents.read(page))):
                    if re.match(r"[a-z]+:", target):
                        continue
                    count += 1
                    with self.subTest(page=str(page.relative_to(folder)), link=target):
                        file = (page.parent / target.partition("#")[0]).resolve() if target[0] != "#" else page
                        self.assertTrue(file.exists(), "no such file")
                        self.assertTrue(file.is_relative_to(folder), "outside of what is installed")
            self.assertGreater(count, 30)


if __name__ == "__main__":
    unittest.main()
