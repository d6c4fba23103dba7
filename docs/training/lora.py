"""Trains a LoRA adapter on the lessons of a folder that `elenchus run --memory continuous` writes.

    elenchus run … --memory continuous --train-cmd "python3 /path/to/lora.py --merge"

The folder is the last argument. What training.json in it says is done: rank, alpha, dropout, epochs, learning
rate, from the base anew on all lessons. The last line that is printed is the name under which the server knows
the result: with --merge the folder of the base with the adapter merged in, which `transformers serve` loads when
it is first asked for; without, the suggested name, under which you have to make your server know the adapter.

Needs torch, transformers and peft.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

# Names of attention layers in the families of models that there are.
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj", "c_attn", "query_key_value")


def tell(words):
    print(words, file=sys.stderr, flush=True)


def read_examples(path, tokenizer):
    """The texts as tokens, each with its end. A placebo is made as long as the lesson that it stands for."""
    examples = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        tokens = tokenizer(row["text"], add_special_tokens=False)["input_ids"]
        if "as_long_as" in row and tokens:
            length = len(tokenizer(row["as_long_as"], add_special_tokens=False)["input_ids"])
            tokens = (tokens * (length // len(tokens) + 1))[:length]
        if tokenizer.eos_token_id is not None:
            tokens = tokens + [tokenizer.eos_token_id]
        examples.append(torch.tensor([tokens], device=DEVICE))
    return examples


@torch.no_grad()
def mean_loss(model, examples):
    model.eval()
    losses = [model(input_ids=tokens, labels=tokens).loss.item() for tokens in examples]
    return sum(losses) / len(losses)


def train(model, examples, task):
    optimizer = torch.optim.AdamW(
        [weights for weights in model.parameters() if weights.requires_grad], lr=task["learning_rate"]
    )
    order = torch.Generator().manual_seed(task["seed"] % 2**63)
    for epoch in range(task["epochs"]):
        model.train()
        total = 0.0
        for place in torch.randperm(len(examples), generator=order).tolist():
            loss = model(input_ids=examples[place], labels=examples[place]).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        tell(f"epoch {epoch + 1} of {task['epochs']}: loss {total / len(examples):.4f}")


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--merge", action="store_true", help="merge the adapter into a copy of the base")
parser.add_argument("folder", type=Path)
options = parser.parse_args()
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
task = json.loads((options.folder / "training.json").read_text())
torch.manual_seed(task["seed"] % 2**63)

tokenizer = AutoTokenizer.from_pretrained(task["base"])
base = AutoModelForCausalLM.from_pretrained(task["base"]).to(DEVICE)
examples = read_examples(options.folder / task["lessons"]["file"], tokenizer)
lora = task["lora"]
parts = {name.rsplit(".", 1)[-1] for name, _ in base.named_modules()}
before = mean_loss(base, examples)
model = get_peft_model(
    base,
    LoraConfig(
        task_type="CAUSAL_LM",
        r=lora["rank"],
        lora_alpha=lora["alpha"],
        lora_dropout=lora["dropout"],
        target_modules=[name for name in ATTENTION if name in parts],
    ),
)
train(model, examples, task)
after = mean_loss(model, examples)
tell(f"loss on {len(examples)} texts: base {before:.4f}, adapter {after:.4f}")

adapter = options.folder / task["adapter"]
model.save_pretrained(adapter)
# Which lessons it was trained on goes where it goes.
(adapter / "lessons.sha256").write_text(task["lessons"]["sha256"] + "\n")
(options.folder / "losses.json").write_text(json.dumps({"base": before, "adapter": after}) + "\n")
if options.merge:
    merged = options.folder / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    model.merge_and_unload().save_pretrained(merged)
    tokenizer.save_pretrained(merged)
    print(merged.resolve())
else:
    print(task["suggested_name"])
