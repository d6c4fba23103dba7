"""Has NeMo Guardrails parse, load and run an exported configuration: colang.py FOLDER.

FOLDER holds `guardrails.co` and `config.yml` as a Rust test exported them from the guardrails in
`hostile.json`. Prints what the package made of them, which is recorded in `accepted.json`.
"""

import asyncio
import json
import sys
from pathlib import Path

from nemoguardrails import RailsConfig
from nemoguardrails.colang import parse_colang_file
from nemoguardrails.colang.v2_x.runtime.runtime import RuntimeV2_x

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
    folder = Path(sys.argv[1])
    hostile = json.loads((folder / "hostile.json").read_text())
    source = (folder / "guardrails.co").read_text()
    config = (folder / "config.yml").read_text()

    parsed = parse_colang_file("guardrails.co", source, version="2.x")
    names = [flow.name for flow in parsed["flows"]]
    wanted = 1 + 2 * len(hostile)
    assert len(names) == len(set(names)) == wanted, f"{len(names)} flows, {wanted} wanted: {names}"

    loaded = RailsConfig.from_content(colang_content=source, yaml_content=config)
    assert loaded.colang_version == "2.x", loaded.colang_version
    RailsConfig.from_path(str(folder))
    runtime = RuntimeV2_x(config=loaded, verbose=False)
    missing = [name for name in names if name not in runtime.flow_configs]
    assert not missing, f"the runtime does not know {missing}"

    known = strings(source)
    assert len(known) >= 2 * len(hostile) - 2, known
    refused = {text: refusals(runtime, text) for text in known}
    wrong = {text: said for text, said in refused.items() if len(said) != 1}
    assert not wrong, wrong
    assert refusals(runtime, "a harmless question") == []
    print(json.dumps({"flows": names, "refused": refused}, indent=1, ensure_ascii=False))


main()
