"""A real and tiny vision transformer that classifies a picture by its color; its weights are set by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

LABELS = {0: "safe", 1: "red", 2: "blue"}


def color_classifier(folder: Path) -> Path:
    """Write the model into a folder and return it; skip the test if transformers is not installed."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        image_size=16, patch_size=16, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        id2label=LABELS, label2id={label: number for number, label in LABELS.items()},
    )  # fmt: skip
    vit = transformers.ViTForImageClassification(config)
    _look_at_color_only(vit, torch)
    vit.save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": 16, "width": 16}).save_pretrained(folder)
    return folder


def _look_at_color_only(vit: Any, torch: Any) -> None:
    """Let the patch's mean red and blue reach the class token through one layer of attention, and the head."""
    with torch.no_grad():
        for weights in vit.parameters():
            weights.zero_()
        patches = vit.vit.embeddings.patch_embeddings.projection.weight
        patches[0, 0], patches[1, 2] = 1 / 256, 1 / 256
        for name, weights in vit.named_parameters():
            if "layernorm" in name and name.endswith("weight"):
                weights.fill_(1)
            elif name.endswith(("value.weight", "v_proj.weight", "o_proj.weight", "attention.output.dense.weight")):
                weights.copy_(torch.eye(8))
        vit.classifier.weight[1, 0], vit.classifier.weight[1, 1] = 2.0, -2.0
        vit.classifier.weight[2, 1], vit.classifier.weight[2, 0] = 2.0, -2.0
