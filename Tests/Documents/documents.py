"""What the tests of the documents share: the documents, their parts, the names of all tests, Seif's program."""
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
THREATS = ROOT / "docs" / "threat-model.md"
NEVER = ROOT / "docs" / "never.md"
BACKUP_CLAIMS = ROOT / "docs" / "backup-claims.md"
LIBRARY = ROOT / "docs" / "library.md"
COMMANDS = ROOT / "docs" / "commands.md"
EXAMPLES = ROOT / "Examples"


def pages():
    """Every page for people, the README first."""
    found = [README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "Examples" / "README.md", ROOT / "SECURITY.md"]
    return found + [ROOT / "CHANGELOG.md"]


def shown(path):
    return str(path.relative_to(ROOT))


def read(path):
    return path.read_text(encoding="utf-8")


def fences(text):
    """The fenced blocks of a page: (language, text)."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def without_code(text):
    """The page without its fenced and indented blocks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def items(text):
    """The items of a page's lists, each with its lines joined."""
    found, current = [], None
    for line in without_code(text).splitlines():
        if line.startswith("- "):
            current = [line[2:]]
            found.append(current)
        elif current is not None and line.startswith("  ") and line.strip():
            current.append(line.strip())
        else:
            current = None
    return [" ".join(lines) for lines in found]


def anchors(path):
    """What a link into a page may name: its headings, and the places that it names itself."""
    text = read(path)
    heads = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    slugs = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
    return slugs | set(re.findall(r'<a id="([^"]+)"></a>', text))


def test_names():
    """Every test as Suite.name: those of Swift Testing by their types, those of unittest by their classes."""
    found = set()
    for path in (ROOT / "Tests").rglob("*.swift"):
        suite, marked = None, False
        for line in read(path).splitlines():
            opened = re.match(r"(?:@\S.*\s)?(?:final )?(?:struct|class|enum|actor|extension) (\w+)", line)
            suite = opened.group(1) if opened else suite
            marked = marked or re.match(r"\s*@Test\b", line) is not None
            function = re.search(r"\bfunc (\w+)", line)
            if function and marked:
                found.add(f"{suite}.{function.group(1)}")
                marked = False
    for path in (ROOT / "Tests").rglob("test_*.py"):
        suite = None
        for line in read(path).splitlines():
            opened = re.match(r"class (\w+)", line)
            suite = opened.group(1) if opened else suite
            function = re.match(r"    def (test_\w+)", line)
            if function and suite:
                found.add(f"{suite}.{function.group(1)}")
    return found


def seif_binary():
    """Seif's program: SEIF_BINARY, else the debug build of this package, else None."""
    path = Path(os.environ.get("SEIF_BINARY") or ROOT / ".build" / "debug" / "seif").resolve()
    return path if path.is_file() and os.access(path, os.X_OK) else None


def seif(*arguments):
    return subprocess.run([str(seif_binary()), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)
