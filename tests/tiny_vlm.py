"""Tiny models with random weights and a byte-level tokenizer, made on the spot: about 0.1 M numbers, with or without eyes."""

from __future__ import annotations

from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<image>' }}{% elif part['type'] == 'text' %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def make_vlm(folder: Path, *, seed: int = 0) -> Path:
    """Write the model to a folder, in the layout of transformers, and return the folder."""
    import torch
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        GenerationConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    torch.manual_seed(seed)
    words = _tokenizer()
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    image = words.convert_tokens_to_ids("<image>")
    seeing = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8,
        projection_dim=16,
    )  # fmt: skip
    speaking = LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, **ends,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=seeing, text_config=speaking, image_token_index=image, image_token_id=image,
        vision_feature_select_strategy="default", vision_feature_layer=-1, image_seq_length=16,
    )  # fmt: skip
    model = LlavaForConditionalGeneration(config).eval()
    model.generation_config = GenerationConfig(max_new_tokens=16, do_sample=False, **ends)
    model.save_pretrained(folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer=words, patch_size=8, chat_template=TEMPLATE, vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip
    return folder


def make_lm(folder: Path, *, seed: int = 0) -> Path:
    """Write a model of words, which takes no pictures, to a folder, and return the folder."""
    import torch
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    words = _tokenizer()
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, **ends,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    model.generation_config = GenerationConfig(max_new_tokens=16, do_sample=False, **ends)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def _tokenizer():  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    words = PreTrainedTokenizerFast(
        tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>", pad_token="<pad>",
        extra_special_tokens={"image_token": "<image>"}, model_max_length=4096,
    )  # fmt: skip
    words.chat_template = TEMPLATE
    return words
