"""Compares two logs: texts by seat, scores with their reasons, and what each message's call used.

python compare_logs.py ONE.eval OTHER.eval
"""

import sys

from inspect_ai.log import read_eval_log


def contents(path):
    samples = []
    for sample in read_eval_log(path).samples:
        used = {}
        for event in sample.events:
            if event.event == "model" and event.output.choices and event.output.choices[0].message.metadata:
                used[event.output.choices[0].message.metadata["turn"]] = event.output.usage
        said = [
            ((m.metadata or {}).get("turn"), m.text, getattr(m, "model", None), used.get((m.metadata or {}).get("turn")))
            for m in sample.messages
        ]
        scores = sorted((name, str(score.value), score.explanation) for name, score in sample.scores.items())
        samples.append((sample.input, said, scores, sample.target))
    return sorted(samples, key=str)


def main(one, other):
    one, other = contents(one), contents(other)
    assert one == other, "the logs differ"
    messages = sum(len(said) for _, said, _, _ in one)
    scores = sum(len(scores) for _, _, scores, _ in one)
    print(f"{len(one)} samples are the same: {messages} messages with their use, {scores} scores with their reasons")


if __name__ == "__main__":
    main(*sys.argv[1:])
