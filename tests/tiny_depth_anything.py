"""A tiny Depth Anything with random weights, made on the spot."""

from __future__ import annotations

from pathlib import Path


def make_depth_anything(folder: Path) -> Path:
    """Write the model to a folder, in the layout of transformers, and return the folder."""
    import torch
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config, DPTImageProcessorPil

    torch.manual_seed(0)
    backbone = Dinov2Config(
        hidden_size=16, num_hidden_layers=4, num_attention_heads=2, image_size=56, patch_size=14,
        out_indices=[1, 2, 3, 4], apply_layernorm=True, reshape_hidden_states=False,
    )  # fmt: skip
    config = DepthAnythingConfig(
        backbone_config=backbone, reassemble_hidden_size=16, neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=8,
        head_hidden_size=8,
    )  # fmt: skip
    DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    processor = DPTImageProcessorPil(
        size={"height": 56, "width": 56}, keep_aspect_ratio=True, ensure_multiple_of=14, do_pad=False
    )
    processor.save_pretrained(folder)
    return folder
