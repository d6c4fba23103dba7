"""Supervised fine-tuning by TRL on what `elenchus export --sft` writes.

    elenchus export --sft lessons -o lessons.jsonl     one lesson a row
    elenchus export --sft judge -o judge.jsonl         what judges were shown, with the right label
    python3 sft.py BASE lessons.jsonl OUT

Needs torch, transformers, datasets and trl.
"""

import sys

import datasets
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

base, file, out = sys.argv[1:4]
# Without a card it takes longer, and is done all the same.
card = dict(use_cpu=not torch.cuda.is_available(), bf16=torch.cuda.is_available())
rows = datasets.load_dataset("json", data_files=file, split="train")
# TRL reads these columns; what else a row says is for you and for filters.
rows = rows.select_columns([name for name in ("text", "prompt", "completion") if name in rows.column_names])
# A judge's view is longer than the trainer's own limit: cut, nothing of its verdict would be left.
settings = SFTConfig(output_dir=out, max_length=4096, num_train_epochs=1, report_to=[], save_strategy="no", **card)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(base),
    args=settings,
    train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained(base),
)
print(trainer.train())
trainer.save_model(out)
