"""The example of docs/library.md compiles against what is public, runs, and prints what the page shows."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import documents

BUILT = documents.ROOT / ".build" / "debug"
MODULES = ["SeifBytes", "SeifCrypto", "SeifOTP", "SeifRecords", "SeifFormats"]
LIBRARIES = ["COpenSSL", "CSodium", "CArgon2"]


class Library(unittest.TestCase):
    def test_the_targets_are_those_of_the_product(self):
        table = documents.read(documents.LIBRARY).split("\n## The targets\n")[1].split("\n## ")[0]
        named = re.findall(r"^\| `(Seif\w+)` \|", table, re.M)
        product = re.search(r'name: "Seif",\s+targets: \[(.*?)\]', documents.read(documents.ROOT / "Package.swift"), re.S)
        self.assertEqual(named, re.findall(r'"(\w+)"', product.group(1)))

    @unittest.skipUnless((BUILT / "Modules").is_dir() and shutil.which("swiftc"), "no debug build")
    def test_the_example_does_what_the_page_says(self):
        blocks = documents.fences(documents.read(documents.LIBRARY))
        example = next(text for language, text in blocks if language == "swift" and "import SeifFormats" in text)
        self.assertLessEqual(len(example.strip().splitlines()), 20)
        shown = next(text for language, text in blocks if language == "text")
        with tempfile.TemporaryDirectory() as name:
            source, program = Path(name) / "main.swift", Path(name) / "codes"
            source.write_text(example, encoding="utf-8")
            objects = [str(path) for module in MODULES for path in sorted((BUILT / f"{module}.build").glob("*.o"))]
            maps = [word for library in LIBRARIES for word in
                    ("-Xcc", f"-fmodule-map-file={documents.ROOT}/Sources/{library}/module.modulemap")]
            # Under another package's name only what is public can be used.
            done = subprocess.run(
                ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-package-name", "elsewhere", "-I",
                 str(BUILT / "Modules"), *maps, str(source), *objects, "-o", str(program)],
                capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            secret = (documents.EXAMPLES / "phone.passphrase.txt").read_bytes()
            done = subprocess.run([str(program), str(documents.EXAMPLES / "phone.authbackup")], input=secret,
                                  capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.names(shown), self.names(done.stdout.decode("utf-8")))

    @staticmethod
    def names(text):
        """The lines without their codes; the length of each code stays."""
        return [re.sub(r"\S", "#", line.rsplit(" ", 1)[1]) + line.rsplit(" ", 1)[0] for line in text.splitlines()]


if __name__ == "__main__":
    unittest.main()
