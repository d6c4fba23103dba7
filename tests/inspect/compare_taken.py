"""Compares logs that Inspect wrote with the turns that the program took in of them.

python compare_taken.py FOLDER TURNS.csv
"""

import glob
import sys

import pandas
from inspect_ai.log import read_eval_log


def main(folder, turns):
    turns = pandas.read_csv(turns, keep_default_na=False)
    expected = {}
    for path in sorted(glob.glob(f"{folder}/*")):
        log = read_eval_log(path, resolve_attachments=True)
        for sample in log.samples:
            for message in sample.messages:
                if message.role == "assistant" and message.text:
                    # The same log as an archive and as a document is one.
                    expected[(log.eval.task, str(sample.id), sample.epoch, message.text)] = sample
    for task, sample, _, text in expected:
        rows = turns[(turns["topic"] == sample) & (turns["text"] == text)]
        assert len(rows) >= 1, (task, sample, text)
    answers = turns[~turns["seat"].isin(["tool", "tool_call"])]
    assert len(answers) == len(expected), (len(answers), len(expected))
    columns = [column for column in turns.columns if column.endswith(".includes")]
    found = [row[column] for _, row in answers.iterrows() for column in columns if row[column]]
    scored = {(key[0], key[1], key[2]): sample for key, sample in expected.items()}
    wanted = [sample.scores["includes"].value for sample in scored.values()]
    assert sorted(found) == sorted(wanted), (found, wanted)
    print(f"{len(expected)} answers of Inspect's logs came in, with {len(found)} scores of 'includes'")


if __name__ == "__main__":
    main(*sys.argv[1:])
