"""A model that is made on the spot, and its tokenizer."""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_tokenizer(texts):
    """Byte-level BPE of 400 words, learned from what is trained on."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=marks, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<|pad|>", eos_token="<|end|>")
    fast.chat_template = TEMPLATE
    return fast


def make_model(tokenizer, folder):
    """Two layers with random weights, the same each time."""
    torch.manual_seed(0)
    size = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2)
    heads = dict(num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=4096)
    LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **size, **heads)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # From its folder: trainers that compare with the model as it was load it from there once more.
    return LlamaForCausalLM.from_pretrained(folder)
