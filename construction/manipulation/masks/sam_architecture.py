"""Construction of a `segment_anything` model from its checkpoint; the shapes of its weights give all dimensions but
one.

The official checkpoints (ViT-B, -L, -H), others of this kind and the tests' tiny ones therefore load in the same way,
and the file name does not matter.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.errors import DataError

from .sam_import import segment_anything

_ENCODER = "image_encoder."
_DECODER_HEADS = 8
"""Number of heads of the mask decoder's attention, which no weight's shape gives; SAM has eight."""
_MEAN, _STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def load_sam(path: Path, *, encodes: bool = True) -> Any:
    """Return the model of a checkpoint, on the CPU, in evaluation mode.

    Args:
        path: `.pth`, read without unpickling anything but tensors, or `.safetensors`.
        encodes: Whether to load the image encoder; without it, the model only knows the size of the encoder's input.

    Raises:
        DataError: The file does not hold such a model.
    """
    try:
        state = _state(path)
        model = _model(state, encodes=encodes)
        model.load_state_dict({name: state[name] for name in state if encodes or not name.startswith(_ENCODER)})
    except (KeyError, IndexError, ValueError, RuntimeError, OSError, EOFError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{path.name} is no checkpoint of segment_anything ({first[:200]}); download it again"
        ) from error
    return model.eval()


def _state(path: Path) -> Mapping[str, Any]:
    import pickle

    import torch

    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        found: Mapping[str, Any] = load_file(path)
        return found
    try:
        with warnings.catch_warnings():  # about a pickle not written by torch; it is refused a moment later
            warnings.simplefilter("ignore", UserWarning)
            state: Mapping[str, Any] = torch.load(
                path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path)
            )
    except pickle.UnpicklingError as error:  # torch's message suggests allowing what must not be allowed
        raise ValueError("it holds something else than tensors, which is not read") from error
    return state


def _model(state: Mapping[str, Any], *, encodes: bool) -> Any:
    import torch

    modeling = segment_anything().modeling
    patch = state[_ENCODER + "patch_embed.proj.weight"].shape[2]
    grid = state[_ENCODER + "pos_embed"].shape[1]
    size_px = grid * patch
    encoder = _encoder(state, modeling, patch, grid) if encodes else torch.nn.Module()
    encoder.img_size = size_px
    dim = state["prompt_encoder.no_mask_embed.weight"].shape[1]
    decoder = "mask_decoder."
    prompts = modeling.PromptEncoder(
        embed_dim=dim,
        image_embedding_size=(grid, grid),
        input_image_size=(size_px, size_px),
        mask_in_chans=state["prompt_encoder.mask_downscaling.3.weight"].shape[0],
    )
    transformer = modeling.TwoWayTransformer(
        depth=_count(state, decoder + "transformer.layers."),
        embedding_dim=dim,
        num_heads=_DECODER_HEADS,
        mlp_dim=state[decoder + "transformer.layers.0.mlp.lin1.weight"].shape[0],
    )
    iou_head = decoder + "iou_prediction_head.layers."
    masks = modeling.MaskDecoder(
        num_multimask_outputs=state[decoder + "mask_tokens.weight"].shape[0] - 1,
        transformer=transformer,
        transformer_dim=dim,
        iou_head_depth=_count(state, iou_head),
        iou_head_hidden_dim=state[iou_head + "0.weight"].shape[0],
    )
    return modeling.Sam(
        image_encoder=encoder, prompt_encoder=prompts, mask_decoder=masks, pixel_mean=_MEAN, pixel_std=_STD
    )


def _encoder(state: Mapping[str, Any], modeling: Any, patch: int, grid: int) -> Any:
    """Return the image encoder for a side of `grid` patches, each of `patch` pixels per side."""
    import torch

    name = _ENCODER
    width = state[name + "patch_embed.proj.weight"].shape[0]
    depth = _count(state, name + "blocks.")
    # Relative positions of a window of n patches: 2n - 1 of them, each as wide as a head.
    positions = [state[f"{name}blocks.{block}.attn.rel_pos_h"].shape for block in range(depth)]
    reaches = [(length + 1) // 2 for length, _ in positions]
    windows = [reach for reach in reaches if reach != grid]
    return modeling.ImageEncoderViT(
        depth=depth,
        embed_dim=width,
        img_size=grid * patch,
        patch_size=patch,
        num_heads=width // positions[0][1],
        mlp_ratio=state[name + "blocks.0.mlp.lin1.weight"].shape[0] / width,
        norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
        qkv_bias=name + "blocks.0.attn.qkv.bias" in state,
        use_rel_pos=True,
        global_attn_indexes=[at for at, reach in enumerate(reaches) if reach == grid],
        window_size=windows[0] if windows else 0,
        out_chans=state[name + "neck.0.weight"].shape[0],
    )


def _count(state: Mapping[str, Any], prefix: str) -> int:
    return 1 + max(int(key.removeprefix(prefix).partition(".")[0]) for key in state if key.startswith(prefix))
