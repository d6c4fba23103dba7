"""Compares an export of guardrails with what NeMo Guardrails reads from it: rails.py ELENCHUS HOSTILE.

Runs in a folder with a store. HOSTILE holds guardrails whose texts the grammar could read as something else.
"""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

from nemoguardrails import RailsConfig
from nemoguardrails.colang import parse_colang_file
from nemoguardrails.colang.v2_x.lang.colang_ast import Flow, Spec, SpecOp
from nemoguardrails.colang.v2_x.runtime.runtime import RuntimeV2_x

SPACE = "default.sim"

# Rails as they are published: what users say by name, what the bot says, and flows.
COLANG_1 = '''define user ask about weapons
  "How is a blade made?"
  "Where are knives sold at night?"

define user express greeting
  "Hello"
  "Good evening"

define bot refuse to respond
  "I do not talk about that."

define flow weapons
  user ask about weapons
  bot refuse to respond
'''


def elenchus(*args):
    ran = subprocess.run([sys.argv[1], *args], capture_output=True, text=True)
    assert ran.returncode == 0, (args, ran.stdout, ran.stderr)
    return ran.stdout


def listed(space):
    lines = elenchus("memory", "guardrails", "list", "-n", space, "--json").splitlines()
    return {guard["intent"]: guard["examples"] for guard in map(json.loads, lines)}


def as_string(text):
    """What a string of the export holds of a text (the escapes that the runtime loses are replaced)."""
    for sign, other in [('"', "'"), ("\\", "/"), ("{", "("), ("}", ")"), ("$", "\uff04")]:
        text = text.replace(sign, other)
    hidden = [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF]
    text = "".join(c for c in text if ord(c) not in hidden)
    return text.lstrip(". ")


def said(node):
    """The texts of every `user said` in a flow, from the parser's own tree, in order."""
    if isinstance(node, dict):
        return [text for value in node.get("elements", []) for text in said(value)]
    if isinstance(node, Spec) and node.name == "user said":
        (text,) = node.arguments.values()
        assert text[0] == text[-1] == '"', text
        return [text[1:-1]]
    return []


def utterances(flow):
    return [text for element in flow.elements if isinstance(element, SpecOp) for text in said(element.spec)]


def main():
    for one in json.loads(Path(sys.argv[2]).read_text()):
        examples = [f"--example={text}" for text in one["examples"]]
        elenchus("memory", "guardrails", "add", "-n", SPACE, f"--intent={one['intent']}", *examples)
    here = listed(SPACE)
    elenchus("memory", "guardrails", "export", "-n", SPACE, "--proposed", "--colang", "rails")
    source = Path("rails/guardrails.co").read_text()

    parsed = parse_colang_file("guardrails.co", source, version="2.x")
    flows = [flow for flow in parsed["flows"] if isinstance(flow, Flow)]
    asked = [flow for flow in flows if flow.name.startswith("user asked ")]
    refusing = [flow for flow in flows if flow.name.startswith("refuse ")]
    assert len(asked) == len(refusing) == len(here), (len(asked), len(refusing), len(here))
    wanted = []
    for intent, examples in here.items():
        strings = []
        for text in map(as_string, [*examples, intent]):
            if text and text not in strings:
                strings.append(text)
        wanted.append(strings)
    read = [utterances(flow) for flow in asked]
    assert sorted(read) == sorted(wanted), [pair for pair in zip(sorted(read), sorted(wanted)) if pair[0] != pair[1]]

    config = RailsConfig.from_path("rails")
    assert config.colang_version == "2.x", config.colang_version
    runtime = RuntimeV2_x(config=config, verbose=False)
    missing = [flow.name for flow in flows if flow.name not in runtime.flow_configs]
    assert not missing, missing

    elenchus("memory", "guardrails", "import", "-n", "again", "rails/guardrails.co")
    assert listed("again") == here

    rails = parse_colang_file("rails.co", COLANG_1, version="1.0")
    known = {}
    for name, texts in rails["user_messages"].items():
        known[name] = texts
    Path("rails.co").write_text(COLANG_1)
    elenchus("memory", "guardrails", "import", "-n", "first", "rails.co")
    assert listed("first") == known, (listed("first"), known)

    version = importlib.metadata.version("nemoguardrails")
    texts = sum(len(texts) for texts in read)
    print(
        f"nemoguardrails {version}, Python {sys.version.split()[0]}: {len(here)} guardrails, {texts} texts: "
        f"parsed, loaded, compared and imported again; {len(known)} intents of Colang 1 are read alike"
    )


main()
