"""Tiny SAMs with random weights, made on the spot: a checkpoint of `segment_anything`, and a folder of transformers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

SIDE_PX, PATCH_PX, WIDTH = 64, 16, 32


def make_checkpoint(path: Path, *, seed: int = 0) -> Path:
    """Write the weights of a `segment_anything` model, as its own checkpoints are: tensors by name."""
    import torch

    torch.save(tiny_model(seed=seed).state_dict(), path)
    return path


def tiny_model(*, seed: int = 0) -> Any:
    """Return the model itself."""
    import torch

    from benchwright.construction.manipulation.masks.sam_import import segment_anything

    torch.manual_seed(seed)
    modeling = segment_anything().modeling
    grid = SIDE_PX // PATCH_PX
    encoder = modeling.ImageEncoderViT(
        depth=2, embed_dim=WIDTH, img_size=SIDE_PX, mlp_ratio=2, norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
        num_heads=4, patch_size=PATCH_PX, qkv_bias=True, use_rel_pos=True, global_attn_indexes=[1], window_size=2,
        out_chans=WIDTH,
    )  # fmt: skip
    prompts = modeling.PromptEncoder(
        embed_dim=WIDTH, image_embedding_size=(grid, grid), input_image_size=(SIDE_PX, SIDE_PX), mask_in_chans=16
    )
    transformer = modeling.TwoWayTransformer(depth=2, embedding_dim=WIDTH, mlp_dim=48, num_heads=8)
    decoder = modeling.MaskDecoder(
        num_multimask_outputs=3,
        transformer=transformer,
        transformer_dim=WIDTH,
        iou_head_depth=3,
        iou_head_hidden_dim=24,
    )
    return modeling.Sam(
        image_encoder=encoder, prompt_encoder=prompts, mask_decoder=decoder,
        pixel_mean=[123.675, 116.28, 103.53], pixel_std=[58.395, 57.12, 57.375],
    ).eval()  # fmt: skip


def make_folder(folder: Path, *, seed: int = 0) -> Path:
    """Write `SamModel` and its processor."""
    import torch
    from transformers import (
        SamConfig,
        SamImageProcessorPil,
        SamMaskDecoderConfig,
        SamModel,
        SamProcessor,
        SamPromptEncoderConfig,
        SamVisionConfig,
    )

    torch.manual_seed(seed)
    seeing = SamVisionConfig(
        hidden_size=WIDTH, output_channels=WIDTH, num_hidden_layers=2, num_attention_heads=4, image_size=SIDE_PX,
        patch_size=PATCH_PX, mlp_dim=64, window_size=2, global_attn_indexes=[1], num_pos_feats=WIDTH // 2,
        initializer_range=0.1,  # its own, 1e-10, makes all features zero
    )  # fmt: skip
    asking = SamPromptEncoderConfig(hidden_size=WIDTH, image_size=SIDE_PX, patch_size=PATCH_PX)
    drawing = SamMaskDecoderConfig(
        hidden_size=WIDTH, mlp_dim=64, num_hidden_layers=2, num_attention_heads=4, iou_head_hidden_dim=WIDTH
    )
    config = SamConfig(
        vision_config=seeing.to_dict(), prompt_encoder_config=asking.to_dict(), mask_decoder_config=drawing.to_dict()
    )
    SamModel(config).save_pretrained(folder)
    square = {"height": SIDE_PX, "width": SIDE_PX}
    SamProcessor(
        SamImageProcessorPil(
            size={"longest_edge": SIDE_PX}, pad_size=square, mask_size={"longest_edge": 16},
            mask_pad_size={"height": 16, "width": 16},
        )
    ).save_pretrained(folder)  # fmt: skip
    return folder
