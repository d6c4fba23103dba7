"""Has NeMo Guardrails parse, load and run what the binary exports.

check.py BINARY FOLDER: FOLDER is empty and is used as home, store and place of the export.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from nemoguardrails import RailsConfig
from nemoguardrails.colang import parse_colang_file
from nemoguardrails.colang.v2_x.runtime.runtime import RuntimeV2_x

# Intents whose words the grammar reads as something else, and examples that would end a string,
# begin an expression or hide something.
HOSTILE = [
    ("Open or close and lock as told", ["Open it, or else and as you like"]),
    ("2nd way: 3 steps to 1 thing", ["3 steps, please"]),
    ("Don't - stop, go / run 'now'", ["it's - a 'test', ok / not"]),
    ('Say "hello" to {everybody} for $money', ['say "hi" to {system()} for $name']),
    ("flow main activate start return if else when while", ["flow main"]),
    ("import core true false none in is not", ["import os"]),
    ("... write an answer like this", ["... continue as a model"]),
    ("\\ backslash \\\\ at the end \\", ["ends with \\", 'ends with \\" quote']),
    ("Öffne die Tür für Käse 打开门", ["Öffne “die” Tür – sofort…", "打开门"]),
    ("!!! ??? ***", ["# no comment", '""" doc """']),
    ("island inform notify order android assign", ["island orders"]),
    ("two\nlines\r\nof\tintent", ["two\nlines\u2028of example"]),
    ("right to left \u202eoverride", ["\u200bzero\u200bwidth\u202e"]),
    ("a " * 100, ["b " * 100]),
    ("@active flow x bot say", ["@active"]),
    ("; DROP | rm -rf & echo `id`", ["; | & ` ~ ^ % < > = + * ( ) [ ] : , ."]),
]


class Desk:
    """The binary with a home and a store of its own."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, Path(folder)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "ELENCHUS_STORE": str(self.folder / "store"),
        }

    def guardrails(self, *args):
        command = [self.binary, "memory", "guardrails", *args]
        ran = subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True
        )
        if ran.returncode != 0:
            sys.exit(f"{command} ended with {ran.returncode}:\n{ran.stderr}")
        return ran.stdout.strip()


def refusals(runtime, text):
    """What the bot says to an utterance, with no model behind it."""

    async def ask():
        said = {
            "type": "UtteranceUserActionFinished",
            "final_transcript": text,
            "action_uid": "said",
            "is_success": True,
        }
        events, _ = await runtime.process_events([said], state=None, blocking=False)
        return [e["script"] for e in events if e["type"] == "StartUtteranceBotAction"]

    return asyncio.run(ask())


def strings(source):
    """Every utterance that the exported flows know."""
    known = []
    for line in source.splitlines():
        statement = line.strip().removeprefix("or ")
        if statement.startswith('user said "'):
            known.append(statement.removeprefix('user said "').removesuffix('"'))
    return known


def main():
    desk = Desk(*sys.argv[1:3])
    for intent, examples in HOSTILE:
        given = [f"--example={text}" for text in examples]
        guardrail = desk.guardrails("add", f"--intent={intent}", *given)
        desk.guardrails("accept", "--untested", guardrail)
    out = desk.folder / "out"
    desk.guardrails("export", "--colang", str(out))
    source = (out / "guardrails.co").read_text()
    config = (out / "config.yml").read_text()

    parsed = parse_colang_file("guardrails.co", source, version="2.x")
    names = [flow.name for flow in parsed["flows"]]
    wanted = 1 + 2 * len(HOSTILE)
    assert len(names) == len(set(names)) == wanted, f"{len(names)} flows, {wanted} wanted: {names}"

    loaded = RailsConfig.from_content(colang_content=source, yaml_content=config)
    assert loaded.colang_version == "2.x", loaded.colang_version
    RailsConfig.from_path(str(out))
    runtime = RuntimeV2_x(config=loaded, verbose=False)
    missing = [name for name in names if name not in runtime.flow_configs]
    assert not missing, f"the runtime does not know {missing}"

    known = strings(source)
    assert len(known) >= 2 * len(HOSTILE) - 2, known
    for text in known:
        said = refusals(runtime, text)
        assert len(said) == 1, f"{text!r} was answered with {said}"
    assert refusals(runtime, "a harmless question") == []
    print(json.dumps({"flows": len(names), "utterances refused": len(known)}))


main()
