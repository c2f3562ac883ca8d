"""A tiny Efficient LoFTR with random weights, made on the spot."""

from __future__ import annotations

from pathlib import Path


def make_matcher(folder: Path) -> Path:
    """Write the model to a folder, in the layout of transformers, and return the folder."""
    import torch
    from transformers import (
        EfficientLoFTRConfig,
        EfficientLoFTRForKeypointMatching,
        EfficientLoFTRImageProcessorPil,
    )

    torch.manual_seed(0)
    config = EfficientLoFTRConfig(
        stage_num_blocks=[1, 1, 1, 1], out_features=[16, 16, 16, 32], hidden_size=32, num_attention_layers=1,
        num_attention_heads=8, coarse_matching_threshold=0.0,
    )  # fmt: skip
    EfficientLoFTRForKeypointMatching(config).eval().save_pretrained(folder)
    EfficientLoFTRImageProcessorPil(size={"height": 96, "width": 128}).save_pretrained(folder)
    return folder
