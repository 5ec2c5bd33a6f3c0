"""Tests/Vectors/index.html: the page by which a stranger runs the vectors. Its script runs here in Node."""
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

FILES = ("authbackup-v1", "authbackup-v1-android", "authbackup-v2", "authbackup-v2-whole", "vault2fa-v1",
         "authbackup-hostile", "vault2fa-hostile", "twofac")
PAGE = support.VECTORS / "index.html"


@unittest.skipUnless(shutil.which("node"), "Node isn't here")
class Page(unittest.TestCase):
    def run_page(self, *paths):
        done = subprocess.run(["node", str(Path(__file__).with_name("page.mjs")), str(PAGE), *map(str, paths)],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_good_vector_is_recomputed_and_right(self):
        shown = self.run_page(*(support.VECTORS / f"{name}.json" for name in FILES))
        self.assertEqual(shown["faults"], "")
        self.assertIn("every one as stated", shown["verdict"])
        rows = {row[0].removesuffix(".json"): row[1:] for row in shown["rows"]}
        self.assertEqual(set(rows), set(FILES))
        for name in FILES[:5]:
            self.assertEqual(rows[name], [len(support.load(name)), 0, 0], name)
        for name in FILES[5:]:
            self.assertGreater(rows[name][0], 10, name)
            self.assertEqual(rows[name][1], 0, name)

    def test_a_changed_vector_is_called_wrong(self):
        vectors = support.load("authbackup-v1-android")[-2:]
        vectors[0]["plaintextHex"] = "00" + vectors[0]["plaintextHex"][2:]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "changed.json"
            path.write_text(json.dumps(vectors), encoding="ascii")
            shown = self.run_page(path)
        self.assertEqual(shown["rows"], [["changed.json", 1, 1, 0]])
        self.assertIn("1 wrong", shown["verdict"])

    def test_the_page_loads_nothing(self):
        text = PAGE.read_text(encoding="utf-8")
        self.assertIn("default-src 'none'", text)
        for word in ("http:", "https:", "src=", "fetch(", "import ", "XMLHttpRequest"):
            self.assertNotIn(word, text)


if __name__ == "__main__":
    unittest.main()
