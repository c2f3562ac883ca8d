"""A tiny DINOv2 with random weights, made on the spot."""

from __future__ import annotations

from pathlib import Path


def make_dinov2(folder: Path) -> Path:
    """Write the model to a folder, in the layout of transformers, and return the folder."""
    import torch
    from transformers import BitImageProcessorPil, Dinov2Config, Dinov2Model

    torch.manual_seed(0)
    config = Dinov2Config(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, image_size=56, patch_size=14)
    Dinov2Model(config).eval().save_pretrained(folder)
    BitImageProcessorPil(image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225]).save_pretrained(folder)
    return folder
