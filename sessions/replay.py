#!/usr/bin/env python3
"""Plays the example sessions again, with a person on every chair.

    python3 sessions/replay.py target/debug/elenchus FOLDER [TEXTS...]

Runs the program in a pseudo-terminal, once for each file of sessions/texts, waits until it asks
for a turn, a verdict or a lesson, and types what the file holds for it. The journals are written
to FOLDER. It needs nothing but Python 3.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios

HERE = pathlib.Path(__file__).resolve().parent
PERSON = "human:example"
# How long the program may take to ask for the next thing.
PATIENCE_S = 60
ASKED = re.compile(
    r"You sit on (?P<chair>\S+) (?:\(round (?P<round>\d+), stage (?P<stage>\S+)\)"
    r"|and judge (?P<target>.+?)|and write the (?P<lesson>lesson))\. This is what the seat is shown:"
    r".*?Ctrl-D leaves the debate(?P<label>\): )?",
    re.DOTALL,
)


def read_texts(path):
    """Returns the head of a file, and for each thing that is asked its answers in order."""
    head, *parts = re.split(r"^=== (.+)$", path.read_text("utf-8"), flags=re.MULTILINE)
    fields = [line.split(": ", 1) for line in head.splitlines() if line.strip()]
    answers = {}
    for asked, text in zip(parts[::2], parts[1::2]):
        answers.setdefault(asked.strip(), []).append(text.strip())
    return fields, answers


def arguments(fields):
    """Returns what the program is called with, and the documents that it is to find."""
    # Lessons of examples have no place in the memory that debates of one's own read.
    args = ["run", "--model", PERSON, "--memory-namespace", "examples"]
    documents = []
    for name, value in fields:
        if name == "args":
            args += value.split()
        elif name == "document":
            documents.append(HERE / "texts" / value)
            args += ["--document", value]
        else:
            args += [f"--{name}", value]
    return args, documents


def asked_for(found):
    if found["lesson"]:
        return f"{found['chair']} lesson"
    if found["target"]:
        return f"{found['chair']} judges {found['target']}"
    return f"{found['chair']} round {found['round']} {found['stage']}"


def play(program, texts, out):
    fields, answers = read_texts(texts)
    args, documents = arguments(fields)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for document in documents:
            shutil.copy(document, folder)
        ours, theirs = pty.openpty()
        modes = termios.tcgetattr(theirs)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        environment = {"HOME": str(folder), "ELENCHUS_STORE": str(folder / "store"), "TERM": "dumb"}
        child = subprocess.Popen(
            [program, *args], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
        )
        os.close(theirs)
        screen = converse(ours, answers)
        os.close(ours)
        if child.wait() != 0 or any(answers.values()):
            unsaid = [asked for asked, left in answers.items() if left]
            sys.exit(f"{texts}: not played as written; not asked for: {unsaid}\n{screen}")
        for journal in folder.glob("store/sessions/**/*.jsonl"):
            shutil.copy(journal, out)
            print(f"{texts.stem}: {journal.name}")


def converse(terminal, answers):
    """Types answers until the program ends, and returns what was not yet answered of its screen."""
    screen = b""
    while True:
        if not select.select([terminal], [], [], PATIENCE_S)[0]:
            sys.exit(f"nothing came for {PATIENCE_S} s:\n{screen.decode(errors='replace')}")
        try:
            came = os.read(terminal, 65536)
        except OSError:
            came = b""
        if not came:
            return screen.decode(errors="replace")
        screen += came
        found = ASKED.search(screen.decode(errors="replace").replace("\r\n", "\n"))
        if not found:
            continue
        screen = b""
        asked = asked_for(found)
        if not answers.get(asked):
            sys.exit(f"no text for '{asked}'")
        text = answers[asked].pop(0)
        # A label and its reasons are one line; everything else ends with a line of its own.
        typed = text + "\n" if found["label"] else text + "\n.\n"
        for line in typed.splitlines(keepends=True):
            os.write(terminal, line.encode())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, out = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    texts = [pathlib.Path(name) for name in sys.argv[3:]] or sorted((HERE / "texts").glob("[0-9]*.txt"))
    # Lists show the newest session first, so the first file is played last.
    for path in reversed(texts):
        play(program, path, out)


if __name__ == "__main__":
    main()
