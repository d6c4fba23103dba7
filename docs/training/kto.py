"""Kahneman-Tversky optimisation by TRL on what `elenchus export --outcomes` writes: speeches that were good or not,
without pairs.

    elenchus export --outcomes -o outcomes.jsonl
    python3 kto.py BASE outcomes.jsonl OUT

Needs torch, transformers, datasets and trl.
"""

import sys

import datasets
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

try:
    from trl import KTOConfig, KTOTrainer
except ImportError:  # moved in later versions
    from trl.experimental.kto import KTOConfig, KTOTrainer

base, file, out = sys.argv[1:4]
# Without a card it takes longer, and is done all the same.
card = dict(use_cpu=not torch.cuda.is_available(), bf16=torch.cuda.is_available())
rows = datasets.load_dataset("json", data_files=file, split="train")
settings = KTOConfig(
    output_dir=out, max_length=4096, num_train_epochs=1, per_device_train_batch_size=2, report_to=[],
    save_strategy="no", **card,
)
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained(base),
    args=settings,
    train_dataset=rows.select_columns(["prompt", "completion", "label"]),
    processing_class=AutoTokenizer.from_pretrained(base),
)
print(trainer.train())
trainer.save_model(out)
