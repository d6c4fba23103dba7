"""One step of TRL's SFT, KTO and DPO on what elenchus exports, with a model that is made on the spot."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import datasets
import torch
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

try:
    from trl import KTOConfig, KTOTrainer
except ImportError:  # moved in later versions
    from trl.experimental.kto import KTOConfig, KTOTrainer

from tiny_llama import make_model, make_tokenizer

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
def load(name):
    return datasets.load_dataset("json", data_files=str(FOLDER / name), split="train")


def recorded_texts():
    """What each attempt says in the journals, and what came before it, by session and place."""
    texts, prompts = {}, {}
    listed = subprocess.run([PROGRAM, "ls", "--json"], check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        session = json.loads(line).get("session") or json.loads(line).get("id")
        shown = subprocess.run(
            [PROGRAM, "show", session, "--json", "--views"], check=True, capture_output=True, text=True
        ).stdout
        for event in (json.loads(line)["event"] for line in shown.splitlines()):
            if event["type"] == "replied":
                place = session, f"{event['turn']}#{event['attempt']}"
                texts[place], prompts[place] = event["reply"]["text"], chat(event["view"])
            if event["type"] == "judged" and event.get("view"):
                prompts[session, event["judging"], event["chair"]] = chat(event["view"])
            if event["type"] == "feedback_written":
                texts[session, event["entry"]] = event["reply"]["text"].strip()
    return texts, prompts


def chat(view):
    """A view as the messages of a chat."""
    messages = view["messages"]
    return [
        {"role": message["role"], "content": "".join(part["text"] for part in message["parts"])}
        for message in messages
    ]


def check_texts(lessons, judge, outcomes, pairs):
    """What each row says is what the journal says, byte for byte: the last text, and the prompt."""
    texts, prompts = recorded_texts()
    for row in judge:
        assert row["prompt"] == prompts[row["session"], row["judging"], row["judge"]], row
    for row in lessons:
        assert row["text"] == texts[row["session"], row["entry"]], row
    for row in outcomes:
        assert row["completion"][-1]["content"] == texts[row["session"], row["place"]], row
        assert row["prompt"] == prompts[row["session"], row["place"]], row
    for row in pairs:
        for side in ("chosen", "rejected"):
            place = row[f"{side}_place"]
            assert row[side][-1]["content"] == texts[place["session"], place["place"]], row
            assert row["prompt"] == prompts[place["session"], place["place"]], row
    return len(texts)


def train(name, trainer_type, config_type, data, tokenizer, columns, **more):
    """Takes one step; the weights have to move, and the loss has to be a number."""
    model = make_model(tokenizer, FOLDER / "base")
    before = [weights.detach().clone() for weights in model.parameters()]
    config = config_type(
        output_dir=str(FOLDER / f"out-{name}"), max_steps=1, per_device_train_batch_size=2, report_to=[],
        use_cpu=True, save_strategy="no", logging_steps=1, disable_tqdm=True,
        # A judge's prompt is longer than the trainers' own limit: cut, nothing of its verdict is left.
        max_length=4096, **more,
    )
    # Trainers are given the columns that they know: what else a row says is for people and filters.
    data = data.remove_columns([column for column in data.column_names if column not in columns])
    begun = time.monotonic()
    trainer = trainer_type(model=model, args=config, train_dataset=data, processing_class=tokenizer)
    loss = trainer.train().training_loss
    moved = sum(not torch.equal(old, new) for old, new in zip(before, trainer.model.parameters()))
    assert math.isfinite(loss) and moved > 0, (name, loss, moved)
    print(f"{name}: {len(data)} rows, loss {loss:.4f}, {moved} of {len(before)} tensors moved, "
          f"{time.monotonic() - begun:.1f} s")


lessons, judge = load("lessons.jsonl"), load("judge.jsonl")
outcomes, pairs = load("outcomes.jsonl"), load("pairs.jsonl")
print(f"{check_texts(lessons, judge, outcomes, pairs)} texts of journals; all rows say what they say")
said = [row["completion"][-1]["content"] for row in outcomes] + [row["text"] for row in lessons]
tokenizer = make_tokenizer(said)
train("sft lessons", SFTTrainer, SFTConfig, lessons, tokenizer, {"text"})
train("sft judge", SFTTrainer, SFTConfig, judge, tokenizer, {"prompt", "completion"})
train("kto outcomes", KTOTrainer, KTOConfig, outcomes, tokenizer, {"prompt", "completion", "label"})
train("dpo preferences", DPOTrainer, DPOConfig, pairs, tokenizer, {"prompt", "chosen", "rejected"})
