"""A clipboard manager for tests: keeps what is copied, and offers it again when its owner is gone.

usage: manager.py heed|ignore KEPT

`heed` keeps nothing that is marked x-kde-passwordManagerHint; `ignore` doesn't look. What it kept stands in the file
KEPT. It says "ready" on a line, and works by xclip until its standard input ends.
"""
import select
import subprocess
import sys

HINT = "x-kde-passwordManagerHint"


def ask(*words):
    try:
        done = subprocess.run(["xclip", "-o", "-selection", "clipboard", *words], capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        # xclip waits for good for an owner that went away between its question and its answer.
        return None
    return done.stdout if done.returncode == 0 else None


def main(heeds, place):
    kept, offers = None, None
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        formats = ask("-t", "TARGETS")
        if formats is None or b"UTF8_STRING" not in formats.split():
            if kept is not None and offers is None:
                offers = subprocess.Popen(["xclip", "-quiet", "-i", "-selection", "clipboard"], stdin=subprocess.PIPE,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                offers.stdin.write(kept)
                offers.stdin.close()
        elif offers is None and not (heeds and HINT.encode() in formats.split()):
            value = ask("-t", "UTF8_STRING")
            # The value may be of another owner than the formats were.
            marked = heeds and HINT.encode() in (ask("-t", "TARGETS") or b"").split()
            if value is not None and value != kept and not marked:
                kept = value
                with open(place, "wb") as file:
                    file.write(kept)
    if offers is not None:
        offers.kill()


main(sys.argv[1] == "heed", sys.argv[2])
