"""Tiny pipelines of diffusers with random weights, made on the spot from their classes: SD, SDXL,
InstructPix2Pix, FLUX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WIDTH = 32
_TIME_WIDTH = 8


def make_pipeline(kind: str, folder: Path, *, seed: int = 0) -> Path:
    """Write a pipeline's folder and return it.

    Args:
        kind: `sd`, `sd_inpaint`, `sdxl_inpaint`, `sdxl`, `instruct_pix2pix`, `flux_fill` or `flux_kontext`.
        folder: Where to.
        seed: Of the weights.
    """
    import torch

    torch.manual_seed(seed)
    makers = {
        "sd": _sd_of_text, "sd_inpaint": _sd, "sdxl_inpaint": _sdxl, "sdxl": _sdxl_of_text,
        "instruct_pix2pix": _instruct, "flux_fill": _flux_fill, "flux_kontext": _flux_kontext,
    }  # fmt: skip
    makers[kind]().save_pretrained(folder)
    return folder


def _sd() -> Any:
    from diffusers import StableDiffusionInpaintPipeline

    # Latents of the picture and of the masked picture, and the mask: 4 + 4 + 1 channels.
    return StableDiffusionInpaintPipeline(**_parts(9), **_no_checker())


def _sd_of_text() -> Any:
    from diffusers import StableDiffusionPipeline

    return StableDiffusionPipeline(**_parts(4), **_no_checker())


def _instruct() -> Any:
    from diffusers import StableDiffusionInstructPix2PixPipeline

    return StableDiffusionInstructPix2PixPipeline(**_parts(8), **_no_checker())


def _sdxl() -> Any:
    from diffusers import StableDiffusionXLInpaintPipeline

    return StableDiffusionXLInpaintPipeline(**_sdxl_parts(9))


def _sdxl_of_text() -> Any:
    from diffusers import StableDiffusionXLPipeline

    return StableDiffusionXLPipeline(**_sdxl_parts(4))


def _sdxl_parts(channels: int) -> dict[str, Any]:
    from transformers import CLIPTextModelWithProjection

    words = _tokenizer()
    denoiser = _unet(
        channels, attention_head_dim=(2, 4), use_linear_projection=True, addition_embed_type="text_time",
        addition_time_embed_dim=_TIME_WIDTH, transformer_layers_per_block=(1, 2),
        projection_class_embeddings_input_dim=6 * _TIME_WIDTH + WIDTH, cross_attention_dim=2 * WIDTH,
    )  # fmt: skip
    return {
        **_parts(channels), "unet": denoiser, "tokenizer_2": words, "add_watermarker": False,
        "text_encoder_2": CLIPTextModelWithProjection(_text_config(words)).eval(),
    }  # fmt: skip


def _flux_fill() -> Any:
    from diffusers import FluxFillPipeline

    # Packed two by two: latents, those of the masked picture, the mask.
    return FluxFillPipeline(**_flux_parts(latents=2, channels=4 * (2 + 2 + 1)))


def _flux_kontext() -> Any:
    from diffusers import FluxKontextPipeline

    return FluxKontextPipeline(**_flux_parts(latents=1, channels=4))


def _flux_parts(*, latents: int, channels: int) -> dict[str, Any]:
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxTransformer2DModel
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTextModel, T5Config, T5EncoderModel, T5TokenizerFast

    words = _tokenizer()
    pieces = [(piece, -1.0) for piece in ("<unk>", "\u2581")] + [(one, -2.0) for one in sorted(ByteLevel.alphabet())]
    more_words = T5TokenizerFast(vocab=[("<pad>", 0.0), ("</s>", 0.0), *pieces], extra_ids=0)
    reading = T5Config(vocab_size=len(more_words), d_model=WIDTH, d_kv=8, d_ff=37, num_layers=1, num_heads=4)
    denoiser = FluxTransformer2DModel(
        patch_size=1, in_channels=channels, out_channels=4 * latents, num_layers=1, num_single_layers=1,
        attention_head_dim=16, num_attention_heads=2, joint_attention_dim=WIDTH, pooled_projection_dim=WIDTH,
        axes_dims_rope=(4, 4, 8), guidance_embeds=True,
    )  # fmt: skip
    vae = AutoencoderKL(
        sample_size=32, in_channels=3, out_channels=3, block_out_channels=(4,), layers_per_block=1,
        latent_channels=latents, norm_num_groups=1, use_quant_conv=False, use_post_quant_conv=False,
        shift_factor=0.06, scaling_factor=1.5,
    )  # fmt: skip
    return {
        "scheduler": FlowMatchEulerDiscreteScheduler(), "vae": vae.eval(), "transformer": denoiser.eval(),
        "text_encoder": CLIPTextModel(_text_config(words)).eval(), "tokenizer": words,
        "text_encoder_2": T5EncoderModel(reading).eval(), "tokenizer_2": more_words,
    }  # fmt: skip


def _no_checker() -> dict[str, Any]:
    return {"safety_checker": None, "feature_extractor": None, "requires_safety_checker": False}


def _parts(channels: int) -> dict[str, Any]:
    from diffusers import PNDMScheduler
    from transformers import CLIPTextModel

    words = _tokenizer()
    return {
        "vae": _vae(), "text_encoder": CLIPTextModel(_text_config(words)).eval(), "tokenizer": words,
        "unet": _unet(channels),
        "scheduler": PNDMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear",
                                   skip_prk_steps=True, set_alpha_to_one=False, steps_offset=1),
    }  # fmt: skip


def _tokenizer() -> Any:
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTokenizer

    letters = sorted(ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*letters, *(letter + "</w>" for letter in letters)])}
    # CLIP takes the place of the highest id for the text's end.
    vocabulary |= {token: len(vocabulary) + more for more, token in enumerate(("<|startoftext|>", "<|endoftext|>"))}
    return CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=77)


def _text_config(words: Any) -> Any:
    from transformers import CLIPTextConfig

    return CLIPTextConfig(
        vocab_size=len(words), hidden_size=WIDTH, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=77, projection_dim=WIDTH, bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id,
    )  # fmt: skip


def _unet(channels: int, **more: Any) -> Any:
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(
        sample_size=8, in_channels=channels, out_channels=4, layers_per_block=1, block_out_channels=(32, 64),
        norm_num_groups=8, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        **{"cross_attention_dim": WIDTH, "attention_head_dim": 8, **more},
    ).eval()  # fmt: skip


def _vae() -> Any:
    from diffusers import AutoencoderKL

    # Four blocks, so that latents are an eighth of the picture, as the real ones are.
    return AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=4, layers_per_block=1, norm_num_groups=8,
        block_out_channels=(8, 8, 16, 16), down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
    ).eval()  # fmt: skip
