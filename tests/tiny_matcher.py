"""Tiny matchers with random weights, made on the spot: Efficient LoFTR, SuperGlue and LightGlue."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

MatcherKind = Literal["efficientloftr", "superglue", "lightglue"]
_SURER = 20_000
"""Factor of the last projection, without which descriptors of random weights are all alike."""


def make_matcher(folder: Path, kind: MatcherKind = "efficientloftr") -> Path:
    """Write a model to a folder, in the layout of transformers, and return the folder."""
    import torch

    torch.manual_seed(0)
    model, processor = _parts(kind)
    model.eval().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _parts(kind: MatcherKind) -> tuple[Any, Any]:
    """Return a model, and the processor of its input; those that compare key points are sure of some matches."""
    import transformers

    size = {"height": 96, "width": 128}
    if kind == "efficientloftr":
        config = transformers.EfficientLoFTRConfig(
            stage_num_blocks=[1, 1, 1, 1], out_features=[16, 16, 16, 32], hidden_size=32, num_attention_layers=1,
            num_attention_heads=8, coarse_matching_threshold=0.0,
        )  # fmt: skip
        return (
            transformers.EfficientLoFTRForKeypointMatching(config),
            transformers.EfficientLoFTRImageProcessorPil(size=size),
        )
    keypoints = transformers.SuperPointConfig(
        encoder_hidden_sizes=[8, 8, 8, 8], decoder_hidden_size=16, descriptor_decoder_dim=32, keypoint_threshold=0.0,
        max_keypoints=64,
    )  # fmt: skip
    if kind == "superglue":
        glue = transformers.SuperGlueConfig(
            keypoint_detector_config=keypoints, hidden_size=32, keypoint_encoder_sizes=[16, 32],
            gnn_layers_types=["self", "cross"], num_attention_heads=2, sinkhorn_iterations=5,
        )  # fmt: skip
        model = transformers.SuperGlueForKeypointMatching(glue)
        model.final_projection.final_proj.weight.data *= _SURER
        return model, transformers.SuperGlueImageProcessorPil(size=size)
    light = transformers.LightGlueConfig(
        keypoint_detector_config=keypoints, descriptor_dim=32, num_hidden_layers=2, num_attention_heads=2,
        filter_threshold=0.0,
    )  # fmt: skip
    matcher = transformers.LightGlueForKeypointMatching(light)
    for layer in matcher.match_assignment_layers:
        layer.final_projection.weight.data *= _SURER
        layer.matchability.bias.data.fill_(9.0)
    return matcher, transformers.LightGlueImageProcessorPil(size=size)
