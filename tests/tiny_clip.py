"""A real and tiny CLIP that knows red from blue, in pictures and in words; its weights are set by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

WORDS = ("<pad>", "<unk>", "<s>", "a", "red", "blue", "picture", "</s>")


def color_clip(folder: Path) -> Path:
    """Write the model into a folder and return it; skips the test where transformers is not installed."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    text = transformers.CLIPTextConfig(
        vocab_size=len(WORDS), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        max_position_embeddings=8, projection_dim=2, pad_token_id=0, bos_token_id=2, eos_token_id=WORDS.index("</s>"),
    )  # fmt: skip
    vision = transformers.CLIPVisionConfig(
        hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=16, patch_size=16,
        projection_dim=2,
    )  # fmt: skip
    config = transformers.CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=2)
    clip = transformers.CLIPModel(config)
    _look_at_color_only(clip, torch)
    clip.save_pretrained(folder)
    _words(transformers).save_pretrained(folder)
    return folder


def _look_at_color_only(clip: Any, torch: Any) -> None:
    """Let mean red and blue, or the words for them, reach the token that is read, through one layer of attention."""
    with torch.no_grad():
        for weights in clip.parameters():
            weights.zero_()
        for name, weights in clip.named_parameters():
            if "norm" in name and name.endswith("weight"):
                weights.fill_(1)
            elif name.endswith(("v_proj.weight", "out_proj.weight")):
                weights.copy_(torch.eye(8))
        patches = clip.vision_model.embeddings.patch_embedding.weight
        patches[0, 0], patches[1, 2] = 1 / 256, 1 / 256
        known = clip.text_model.embeddings.token_embedding.weight
        known[WORDS.index("red"), 0] = known[WORDS.index("blue"), 1] = 1.0
        for projection in (clip.visual_projection.weight, clip.text_projection.weight):
            projection[0, 0] = projection[1, 1] = 1.0


def _words(transformers: Any) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", WORDS.index("</s>"))]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        model_max_length=8,
    )  # fmt: skip
