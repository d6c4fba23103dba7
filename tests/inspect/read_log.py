"""Reads an exported log with Inspect and Inspect Scout, and compares it with the program's own tables.

python read_log.py PUBLIC.eval PRIVATE.eval TURNS.csv DEBATES.csv
python read_log.py --pages PUBLIC.eval

The second writes where 'inspect view' is to be opened, and what it must show there.
"""

import json
import os
import sys
import urllib.parse

import pandas
from inspect_ai.analysis import evals_df, samples_df
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
from inspect_scout import Result, Scanner, Transcript, scan, scan_results_df, scanner, transcripts_from


@scanner(messages="all")
def seats() -> Scanner[Transcript]:
    async def execute(transcript):
        said = [message for message in transcript.messages if message.role == "assistant"]
        names = [message.metadata["seat"] for message in said]
        return Result(value=len(said), explanation=",".join(names))

    return execute


def main(public, private, turns, debates):
    turns = pandas.read_csv(turns, keep_default_na=False)
    debates = pandas.read_csv(debates, keep_default_na=False)
    header = read_eval_log(public, header_only=True)
    assert header.status == "success" and header.samples is None
    assert header.results.total_samples == len(debates)
    used = header.stats.model_usage
    assert sum(one.input_tokens for one in used.values()) == debates["input_tokens"].sum()
    assert sum(one.output_tokens for one in used.values()) == debates["output_tokens"].sum()
    log = read_eval_log(public)
    assert len(log.samples) == len(debates) == len(read_eval_log_sample_summaries(public))
    texts = verdicts = 0
    for sample in log.samples:
        own = turns[(turns["session"] == sample.metadata["session"]) & (turns["private"] == False)]  # noqa: E712
        said = [message for message in sample.messages if message.role == "assistant"]
        assert [message.text for message in said] == list(own["text"])
        for message, (_, row) in zip(said, own.iterrows(), strict=True):
            texts += 1
            if row["verdict"]:
                score = sample.scores[f"safety {message.metadata['turn']}"]
                assert score.value == row["verdict"] and score.explanation
                verdicts += 1
    whole = read_eval_log(private)
    said = sum(len(sample.messages) - 1 for sample in whole.samples)
    assert said == len(turns), (said, len(turns))
    evals = evals_df(public, strict=True, quiet=True)
    assert len(evals) == 1
    samples = samples_df(public, strict=True, quiet=True)
    assert sorted(samples["metadata_session"]) == sorted(debates["session"])
    print(f"read_eval_log, header_only, summaries: {len(log.samples)} samples, {texts} texts, {verdicts} verdicts")
    print(f"evals_df: {evals.shape}, samples_df: {samples.shape}, sums of tokens are those of the tables")
    status = scan([seats()], transcripts=transcripts_from(os.path.dirname(public)), scans="scans", display="none")
    assert status.complete, status
    found = scan_results_df(status.location).scanners["seats"]
    assert int(found["value"].astype(int).sum()) == texts
    print(f"Scout: {len(found)} transcripts scanned, {texts} messages with seats")


def list_pages(log):
    # The page makes typographic marks of plain ones.
    sample = next(one for one in read_eval_log(log).samples if '"' not in one.input)
    first = sample.messages[1]
    name = os.path.basename(log)
    place = f"{urllib.parse.quote(str(sample.id), safe='')}/{sample.epoch}"
    score = next(score for score in sample.scores.values() if score.explanation)
    texts = {
        "messages": [first.text[:40], first.metadata["name"]],
        "transcript": [first.metadata["name"]],
        "scoring": [str(score.value)],
    }
    pages = [{"name": "log", "path": f"#/logs/{name}", "texts": ["elenchus", sample.input]}]
    for tab, wanted in texts.items():
        path = f"#/logs/{name}/samples/sample/{place}/{tab}"
        pages.append({"name": tab, "path": path, "texts": [sample.input, *wanted]})
    print(json.dumps({"pages": pages}))


if __name__ == "__main__":
    if sys.argv[1] == "--pages":
        list_pages(sys.argv[2])
    else:
        main(*sys.argv[1:])
