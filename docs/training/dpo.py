"""Direct preference optimisation by TRL on what `elenchus export --preferences` writes: pairs under one prompt.

    elenchus export --preferences -o pairs.jsonl
    python3 dpo.py BASE pairs.jsonl OUT

Needs torch, transformers, datasets and trl.
"""

import sys

import datasets
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

base, file, out = sys.argv[1:4]
# Without a card it takes longer, and is done all the same.
card = dict(use_cpu=not torch.cuda.is_available(), bf16=torch.cuda.is_available())
rows = datasets.load_dataset("json", data_files=file, split="train")
settings = DPOConfig(output_dir=out, max_length=4096, num_train_epochs=1, report_to=[], save_strategy="no", **card)
trainer = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained(base),
    args=settings,
    train_dataset=rows.select_columns(["prompt", "chosen", "rejected"]),
    processing_class=AutoTokenizer.from_pretrained(base),
)
print(trainer.train())
trainer.save_model(out)
