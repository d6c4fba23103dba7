"""What a run trained is what it says: lessons by their hash, each adapter better on its own lessons than the base,
and two runs of one plan, one of them killed and resumed, trained on the same."""

import hashlib
import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer


def read_trainings(store):
    (journal,) = (store / "runs").glob("*.jsonl")
    events = [json.loads(line)["event"] for line in journal.read_text().splitlines()]
    return [event for event in events if event["type"] == "trained"], events


@torch.no_grad()
def mean_loss(model, tokenizer, texts):
    model.eval()
    losses = []
    for text in texts:
        tokens = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        losses.append(model(input_ids=tokens, labels=tokens).loss.item())
    return sum(losses) / len(losses)


def check_training(store, event):
    """Returns the losses of base and adapter; fails where folder, adapter and journal do not belong together."""
    folder = store / "training" / event["folder"]
    file = (folder / "lessons.jsonl").read_bytes()
    sha256 = hashlib.sha256(file).hexdigest()
    assert sha256 == event["lessons"]["sha256"], f"{folder}: the lessons are others than in the journal"
    trained_on = (folder / "adapter" / "lessons.sha256").read_text().strip()
    assert trained_on == sha256, f"{folder}: the adapter was trained on other lessons"
    texts = [json.loads(line)["text"] for line in file.decode().splitlines()]
    assert len(texts) == event["lessons"]["count"]
    tokenizer = AutoTokenizer.from_pretrained(event["base"])
    base = mean_loss(AutoModelForCausalLM.from_pretrained(event["base"]), tokenizer, texts)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(event["base"]), folder / "adapter")
    adapter = mean_loss(model, tokenizer, texts)
    assert adapter < base, f"{folder}: {adapter} is not below {base}"
    return base, adapter


def swap(one, other):
    spare = one.with_name("spare")
    one.rename(spare)
    other.rename(one)
    spare.rename(other)


whole, resumed = Path(sys.argv[1]), Path(sys.argv[2])
trainings = {store: read_trainings(store)[0] for store in (whole, resumed)}
assert len(trainings[whole]) == 2, trainings[whole]
for store, events in trainings.items():
    for event in events:
        base, adapter = check_training(store, event)
        print(
            f"{store.name}: generation {event['generation']} on {event['lessons']['count']} lessons, "
            f"{event['seconds']:.1f} s: loss of the base {base:.4f}, of the adapter {adapter:.4f}"
        )
same = [[(event["generation"], event["lessons"]) for event in events] for events in trainings.values()]
assert same[0] == same[1], same
begun = [event for event in read_trainings(resumed)[1] if event["type"] == "training_begun"]
assert len(begun) == 3, "the one that was cut short, and two"
print(f"{resumed.name}: resumed, and trained on the same lessons as {whole.name}, by their hashes")
one, other = (whole / "training" / event["folder"] / "adapter" for event in trainings[whole])
swap(one, other)
try:
    check_training(whole, trainings[whole][0])
except AssertionError as caught:
    print(f"two swapped folders are caught: {caught}")
else:
    sys.exit("two swapped folders were not caught")
swap(one, other)
