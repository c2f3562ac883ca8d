"""Tiny models with random weights that find phrases, made on the spot: Grounding DINO, OWLv2, Florence-2."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def make_grounding_dino(folder: Path, *, queries: int = 10) -> Path:
    """Write the model, with that many boxes at most, to a folder in the layout of transformers; return the folder."""
    import torch
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessorPil,
        GroundingDinoProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    letters = [*map(chr, range(97, 123)), *"0123456789.,'-"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    seeing = SwinConfig(
        image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = GroundingDinoConfig(
        backbone_config=seeing, text_config=BertConfig(vocab_size=len(words), max_position_embeddings=256, **small),
        d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=queries, encoder_n_points=2, decoder_n_points=2,
        disable_custom_kernels=True,
    )  # fmt: skip
    GroundingDinoForObjectDetection(config).eval().save_pretrained(folder)
    tokenizer = BertTokenizer(vocab={word: number for number, word in enumerate(words)})
    pictures = GroundingDinoImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96})
    GroundingDinoProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


def make_owlv2(folder: Path) -> Path:
    """Write the model to a folder and return the folder."""
    import torch
    from tokenizers import pre_tokenizers
    from transformers import (
        CLIPTokenizer,
        Owlv2Config,
        Owlv2ForObjectDetection,
        Owlv2ImageProcessorPil,
        Owlv2Processor,
        Owlv2TextConfig,
        Owlv2VisionConfig,
    )

    torch.manual_seed(0)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    speaking = Owlv2TextConfig(
        vocab_size=len(words), max_position_embeddings=16, bos_token_id=len(words) - 2, eos_token_id=len(words) - 1,
        pad_token_id=0, **small,
    )  # fmt: skip
    seeing = Owlv2VisionConfig(image_size=64, patch_size=16, **small)
    config = Owlv2Config(text_config=speaking.to_dict(), vision_config=seeing.to_dict(), projection_dim=16)
    Owlv2ForObjectDetection(config).eval().save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=16)
    Owlv2Processor(Owlv2ImageProcessorPil(size={"height": 64, "width": 64}), tokenizer).save_pretrained(folder)
    return folder


def make_florence2(folder: Path) -> Path:
    """Write the model to a folder and return the folder."""
    import torch
    from transformers import (
        BartConfig,
        CLIPImageProcessorPil,
        Florence2Config,
        Florence2ForConditionalGeneration,
        Florence2Processor,
        Florence2VisionConfig,
        GenerationConfig,
    )

    torch.manual_seed(0)
    words = _bytewise()
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    seeing = Florence2VisionConfig(
        depths=(1, 1, 1, 1), embed_dim=(8, 8, 16, 16), num_heads=(1, 1, 2, 2), num_groups=(1, 1, 2, 2), window_size=4,
        projection_dim=16, max_position_embeddings=20,
    )  # fmt: skip
    speaking = BartConfig(
        vocab_size=len(words), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=512,
        decoder_start_token_id=words.eos_token_id, forced_eos_token_id=None, **ends,
    )  # fmt: skip
    image = words.convert_tokens_to_ids("<image>")
    config = Florence2Config(
        text_config=speaking.to_dict(), vision_config=seeing.to_dict(), image_token_id=image
    )  # fmt: skip
    model = Florence2ForConditionalGeneration(config).eval()
    model.generation_config = GenerationConfig(do_sample=False, decoder_start_token_id=words.eos_token_id, **ends)
    model.save_pretrained(folder)
    side = {"height": 64, "width": 64}
    pictures = CLIPImageProcessorPil(size=side, crop_size=side, do_center_crop=False)
    pictures.image_seq_length = 5
    rules = {"ocr": {"pattern": r"(.+?)<loc_(\d+)>", "area_threshold": 0.0}, "phrase_grounding": {"banned_grounding_tokens": []}}  # fmt: skip
    plain = {name: {} for name in ("pure_text", "description_with_bboxes", "polygons", "bboxes")}
    processor = Florence2Processor(
        image_processor=pictures, tokenizer=words, post_processor_config=rules | plain
    )  # fmt: skip
    processor.save_pretrained(folder)
    return folder


def _bytewise() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    words = PreTrainedTokenizerFast(
        tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"}, model_max_length=512,
    )  # fmt: skip
    words.add_tokens([f"<loc_{number}>" for number in range(1000)])
    return words
