"""Every command line in the documents is one that this Seif takes, and the README's tour gives what it shows."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import documents

NOT_BUILT = "no program: run 'swift build --product seif', or set SEIF_BINARY"


def command_lines(text):
    """The command lines of seif in a page's code, spans and blocks, continued lines joined."""
    text = text.replace("\\\n", " ")
    blocks = [block for _, block in documents.fences(text)]
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    blocks.append("\n".join(re.findall(r"^    .*$", rest, re.M)))
    found = [line for block in blocks for line in re.findall(r"^\s*(?:\$ )?(?:\S*/)?(seif [a-z-].*)$", block, re.M)]
    return found + re.findall(r"`(seif [a-z-][^`]*)`", rest.replace("\n", " "))


@unittest.skipUnless(documents.seif_binary(), NOT_BUILT)
class CommandLines(unittest.TestCase):
    def help(self, words):
        """The help page of the command that the words begin with, and the rest of the words."""
        for count in (2, 1):
            if len(words) < count:
                continue
            done = documents.seif("help", *words[:count])
            if done.returncode == 0 and done.stdout.startswith("seif " + " ".join(words[:count])):
                return done.stdout, words[count:]
        return None, words

    def test_every_command_and_option_exists(self):
        lines = {line: path for path in documents.pages() for line in command_lines(documents.read(path))}
        self.assertGreater(len(lines), 20)
        for line, path in lines.items():
            with self.subTest(page=documents.shown(path), line=line):
                words = shlex.split(line.split("|")[0], comments=True)[1:]
                if words[0] == "help":
                    self.assertIsNotNone(self.help(words[1:])[0] if words[1:] and words[1].islower() else "")
                    continue
                if words[0] == "--version":
                    continue
                page, rest = self.help(words)
                self.assertIsNotNone(page, "no such command")
                options = set(re.findall(r"(?:^  |, )(--?[a-z][a-z-]*)", page, re.M)) | {"--help"}
                for word in rest:
                    if re.match(r"--?[a-z]", word):
                        self.assertIn(word.split("=")[0], options)

    def test_the_page_of_commands_lists_what_there_is(self):
        overview = documents.seif("help").stdout
        listed = dict(re.findall(r"^  (\S+(?: \S+){0,2})  +(\S.*)$", overview, re.M))
        page = documents.read(documents.COMMANDS)
        written = dict(re.findall(r"^\| `seif ([a-z -]+?)(?: [A-Z][^`]*)?` \| (.+) \|$", page, re.M))
        self.assertEqual(listed, written)

    def test_the_page_of_commands_has_the_exit_codes(self):
        source = documents.read(documents.ROOT / "Sources" / "SeifCommandLine" / "Process" / "ExitCode.swift")
        codes = [int(code) for code in re.findall(r"case \w+ = (\d+)", source)]
        table = documents.read(documents.COMMANDS).split("\n## Exit codes\n")[1].split("\n## ")[0]
        self.assertEqual(codes, [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)])


def tour():
    """The steps of the README's tour: (command, what it shows)."""
    blocks = [block for language, block in documents.fences(documents.read(documents.README)) if language == "console"]
    steps = []
    for line in "".join(blocks).splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and steps[-1][0].endswith("\\") and not steps[-1][1]:
            steps[-1] = (steps[-1][0][:-1] + line.strip(), [])
        else:
            steps[-1][1].append(line)
    return [(command, "\n".join(shown).strip()) for command, shown in steps]


def normal(text):
    """A text without what differs from run to run: codes, dates, times, ages, and how wide a column is for them."""
    # Eight digits alone are no date: a code may begin with 20.
    text = re.sub(r"\b20\d{6}T\d{6}Z", "DATE", text)
    text = re.sub(r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?( [+-]\d+|Z| \w+)?)?", "DATE", text)
    text = re.sub(r"\b\d\d:\d\d(:\d\d)?\b", "TIME", text)
    text = re.sub(r"\b\d{3} \d{3}\b|\b\d{4} \d{4}\b|\b\d{6,8}\b", "CODE", text)
    text = re.sub(r"\b[\d.]+ (s|ms|seconds?|minutes?)\b", "AGE", text)
    text = re.sub(r"just now|AGE ago", "AGO", text)
    text = re.sub(r"\b[2-9BCDFGHJKMNPQRTVWXY]{5}\b", "CODE", text)
    lines = [re.sub(r" +", " ", line).strip() for line in text.splitlines() if line.strip()]
    # Some machines' clocks aren't set by anyone, and their kernel says so.
    return [line for line in lines if "the kernel says" not in line]


@unittest.skipUnless(documents.seif_binary(), NOT_BUILT)
class Tour(unittest.TestCase):
    def test_each_step_gives_what_is_shown(self):
        steps = tour()
        self.assertGreater(len(steps), 5)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(documents.ROOT / "Examples", folder / "Examples")
            (folder / "home").mkdir()
            (folder / "build").mkdir()
            os.symlink(documents.seif_binary(), folder / "build" / "seif")
            environment = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
            before = ""
            for command, shown in steps:
                done = subprocess.run(["bash", "-c", f"set -e\n{before}{command}"], cwd=folder, env=environment,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, timeout=120)
                with self.subTest(command=command):
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertEqual(normal(shown), normal(done.stdout.replace(str(folder), "/home/ana/seif")))
                # What sets the shell up counts for the steps after it.
                if re.fullmatch(r"(export )?\w+=\S+", command):
                    before += command + "\n"


if __name__ == "__main__":
    unittest.main()
