"""Models of real size with random weights, made from the configurations of the published ones.

Nothing is downloaded: the cost of a model depends on its shape and not on its weights. Tokenizers are byte-level
stand-ins, because vocabularies cannot be invented; the embeddings still have the published number of rows. Models are
built on the GPU if available, which takes seconds instead of minutes, and are saved like the published ones: SAM as a
checkpoint in float32, Grounding DINO, DINOv2, Depth Anything, CLIP and Stable Diffusion 1.5 in float32, SDXL in
float16, the vision-language model in bfloat16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tiny_clip import color_clip
from tiny_depth_anything import make_depth_anything
from tiny_detectors import make_grounding_dino
from tiny_diffusion import make_pipeline
from tiny_dinov2 import make_dinov2
from tiny_matcher import make_matcher
from tiny_sam import make_checkpoint
from tiny_vlm import make_vlm

Maker = Callable[[Path], object]
IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}

TINY: Mapping[str, Maker] = {
    "sam.pth": make_checkpoint,
    "sdxl_inpaint": lambda folder: make_pipeline("sdxl_inpaint", folder),
    "sd": lambda folder: make_pipeline("sd", folder),
    "depth": make_depth_anything,
    "dinov2": make_dinov2,
    "grounding_dino": make_grounding_dino,
    "matcher": make_matcher,
    "clip": color_clip,
    "classifier": lambda folder: _classifier(folder, is_tiny=True),
    "vlm": make_vlm,
}
"""Makers of tiny models by the name of the file or folder that they write."""


def _on_device() -> AbstractContextManager[Any]:
    """Return the context in which tensors are made on the device where models build fastest."""
    import torch

    torch.manual_seed(0)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _sam_vit_h(path: Path) -> None:
    import torch

    from benchwright.construction.manipulation.masks.sam_import import segment_anything

    with _on_device():
        model = segment_anything().sam_model_registry["vit_h"]()
    torch.save({name: tensor.cpu() for name, tensor in model.state_dict().items()}, path)


def _byte_words() -> Any:
    """Return a byte-level tokenizer in CLIP's form."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTokenizer

    letters = sorted(ByteLevel.alphabet())
    names = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={name: number for number, name in enumerate(names)}, merges=[], model_max_length=77)


def _text_encoder(words: Any, width: int, layers: int, heads: int, *, projected: bool) -> Any:
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=49408, hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers,
        num_attention_heads=heads, max_position_embeddings=77, projection_dim=width, bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id,
    )  # fmt: skip
    return CLIPTextModelWithProjection(config) if projected else CLIPTextModel(config)


def _vae(sample_size: int, scaling_factor: float) -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=4, layers_per_block=2, sample_size=sample_size,
        block_out_channels=(128, 256, 512, 512), down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4, scaling_factor=scaling_factor, force_upcast=sample_size == 1024,
    )  # fmt: skip


def _sdxl_inpaint(folder: Path) -> None:
    import torch
    from diffusers import EulerDiscreteScheduler, StableDiffusionXLInpaintPipeline, UNet2DConditionModel

    words = _byte_words()
    with _on_device():
        unet = UNet2DConditionModel(
            sample_size=128, in_channels=9, out_channels=4, layers_per_block=2, block_out_channels=(320, 640, 1280),
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
            transformer_layers_per_block=(1, 2, 10), attention_head_dim=(5, 10, 20), cross_attention_dim=2048,
            use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=256,
            projection_class_embeddings_input_dim=2816,
        )  # fmt: skip
        pipeline = StableDiffusionXLInpaintPipeline(
            vae=_vae(1024, 0.13025), unet=unet, tokenizer=words, tokenizer_2=words,
            text_encoder=_text_encoder(words, 768, 12, 12, projected=False),
            text_encoder_2=_text_encoder(words, 1280, 32, 20, projected=True), add_watermarker=False,
            scheduler=EulerDiscreteScheduler(
                beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1,
                timestep_spacing="leading",
            ),
        )  # fmt: skip
    pipeline.to(dtype=torch.float16).save_pretrained(folder, variant="fp16")


def _stable_diffusion(folder: Path) -> None:
    from diffusers import DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel

    words = _byte_words()
    crossing = ("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",)
    with _on_device():
        unet = UNet2DConditionModel(
            sample_size=64, in_channels=4, out_channels=4, layers_per_block=2,
            block_out_channels=(320, 640, 1280, 1280),
            down_block_types=crossing, up_block_types=tuple(name.replace("Down", "Up") for name in reversed(crossing)),
            cross_attention_dim=768, attention_head_dim=8,
        )  # fmt: skip
        StableDiffusionPipeline(
            vae=_vae(512, 0.18215), unet=unet, tokenizer=words,
            text_encoder=_text_encoder(words, 768, 12, 12, projected=False),
            scheduler=DDIMScheduler(beta_schedule="scaled_linear", clip_sample=False, steps_offset=1),
            safety_checker=None, feature_extractor=None, requires_safety_checker=False,
        ).save_pretrained(folder)  # fmt: skip


def _large_dinov2(**more: Any) -> Any:
    from transformers import Dinov2Config

    return Dinov2Config(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, image_size=518, patch_size=14, **more
    )


def _depth_anything_large(folder: Path) -> None:
    from transformers import AutoImageProcessor, DepthAnythingConfig, DepthAnythingForDepthEstimation

    backbone = _large_dinov2(out_indices=[5, 12, 18, 24], apply_layernorm=True, reshape_hidden_states=False)
    config = DepthAnythingConfig(
        backbone_config=backbone, reassemble_hidden_size=1024, neck_hidden_sizes=[256, 512, 1024, 1024],
        fusion_hidden_size=256, head_hidden_size=32,
    )  # fmt: skip
    with _on_device():
        DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    _write_processor(
        folder, "DPTImageProcessor", size={"height": 518, "width": 518}, keep_aspect_ratio=True, ensure_multiple_of=14,
        do_pad=False, resample=3, **IMAGENET,
    )  # fmt: skip
    AutoImageProcessor.from_pretrained(folder, local_files_only=True)


def _write_processor(folder: Path, kind: str, **settings: Any) -> None:
    """Write the file as in published models: it names no backend, so transformers uses the available one."""
    import json

    (folder / "preprocessor_config.json").write_text(json.dumps({"image_processor_type": kind, **settings}))


def _dinov2_large(folder: Path) -> None:
    from transformers import Dinov2Model

    with _on_device():
        Dinov2Model(_large_dinov2()).save_pretrained(folder)
    _write_processor(
        folder, "BitImageProcessor", size={"shortest_edge": 256}, crop_size={"height": 224, "width": 224}, **IMAGENET
    )


def _grounding_dino(folder: Path) -> None:
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        SwinConfig,
    )

    letters = [*map(chr, range(97, 123)), *"0123456789.,'-"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    seeing = SwinConfig(
        image_size=224, patch_size=4, embed_dim=96, depths=[2, 2, 6, 2], num_heads=[3, 6, 12, 24], window_size=7,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = GroundingDinoConfig(backbone_config=seeing, text_config=BertConfig())
    with _on_device():
        GroundingDinoForObjectDetection(config).save_pretrained(folder)
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    _write_processor(
        folder, "GroundingDinoImageProcessor", processor_class="GroundingDinoProcessor", do_pad=True,
        size={"shortest_edge": 800, "longest_edge": 1333}, **IMAGENET,
    )  # fmt: skip


def _efficient_loftr(folder: Path) -> None:
    from transformers import EfficientLoFTRConfig, EfficientLoFTRForKeypointMatching

    with _on_device():
        EfficientLoFTRForKeypointMatching(EfficientLoFTRConfig()).save_pretrained(folder)
    _write_processor(folder, "EfficientLoFTRImageProcessor", size={"height": 480, "width": 640})


def _clip_large(folder: Path) -> None:
    from transformers import CLIPConfig, CLIPModel

    words = color_clip(folder)  # its tokenizer stays
    text = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12}
    ends = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 7}
    vision = {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "image_size": 224, "patch_size": 14,
    }  # fmt: skip
    config = CLIPConfig(
        text_config={**text, **ends, "vocab_size": 49408, "projection_dim": 768},
        vision_config={**vision, "projection_dim": 768}, projection_dim=768,
    )  # fmt: skip
    with _on_device():
        CLIPModel(config).save_pretrained(words)


def _classifier(folder: Path, *, is_tiny: bool) -> None:
    from transformers import ViTConfig, ViTForImageClassification

    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    labels = {"id2label": {0: "fine", 1: "unsafe"}, "label2id": {"fine": 0, "unsafe": 1}}
    config = ViTConfig(**labels, **(small if is_tiny else {}))
    with _on_device():
        ViTForImageClassification(config).save_pretrained(folder)
    _write_processor(folder, "ViTImageProcessor", size={"height": 224, "width": 224})


def _qwen2_vl_7b(folder: Path, *, layers: int = 28) -> None:
    """Write a model with the configuration of Qwen2-VL-7B: pictures of any size, a token for each 28 x 28 pixels."""
    import torch
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        GenerationConfig,
        PreTrainedTokenizerFast,
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
    )

    marks = (
        "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
        "<|image_pad|>", "<|video_pad|>",
    )  # fmt: skip
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    bytewise.add_special_tokens([AddedToken(mark, special=True) for mark in marks])
    # Ids up to the published number, so that every output of a random model has a text.
    bytewise.add_tokens([AddedToken(f"~{number}", normalized=False) for number in range(152064 - 256 - len(marks))])
    number_of = {mark: bytewise.token_to_id(mark) for mark in marks}
    words = PreTrainedTokenizerFast(
        tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=32768,
    )  # fmt: skip
    picture = "<|vision_start|><|image_pad|><|vision_end|>"
    template = (
        "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{% if message['content'] is string %}"
        "{{ message['content'] }}{% else %}{% for part in message['content'] %}{% if part['type'] == 'image' %}"
        + picture
        + "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    ends = {"bos_token_id": number_of["<|endoftext|>"], "eos_token_id": number_of["<|im_end|>"]}
    config = Qwen2VLConfig(
        text_config={
            "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": layers, "num_attention_heads": 28,
            "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]}, **ends,
        },
        vision_config={
            "depth": 32, "embed_dim": 1280, "hidden_size": 3584, "num_heads": 16, "mlp_ratio": 4, "patch_size": 14,
        },
        image_token_id=number_of["<|image_pad|>"], video_token_id=number_of["<|video_pad|>"],
        vision_start_token_id=number_of["<|vision_start|>"], vision_end_token_id=number_of["<|vision_end|>"],
    )  # fmt: skip
    torch.set_default_dtype(torch.bfloat16)
    try:
        with _on_device():
            model = Qwen2VLForConditionalGeneration(config)
    finally:
        torch.set_default_dtype(torch.float32)
    model.generation_config = GenerationConfig(do_sample=False, pad_token_id=number_of["<|endoftext|>"], **ends)
    model.save_pretrained(folder)
    words.chat_template = template
    words.save_pretrained(folder)
    _write_processor(
        folder, "Qwen2VLImageProcessor", processor_class="Qwen2VLProcessor", min_pixels=3136, max_pixels=1003520,
        patch_size=14, temporal_patch_size=2, merge_size=2,
        image_mean=[0.48145466, 0.4578275, 0.40821073], image_std=[0.26862954, 0.26130258, 0.27577711],
    )  # fmt: skip


REAL: Mapping[str, Maker] = {
    "sam.pth": _sam_vit_h,
    "sdxl_inpaint": _sdxl_inpaint,
    "sd": _stable_diffusion,
    "depth": _depth_anything_large,
    "dinov2": _dinov2_large,
    "grounding_dino": _grounding_dino,
    "matcher": _efficient_loftr,
    "clip": _clip_large,
    "classifier": lambda folder: _classifier(folder, is_tiny=False),
    "vlm": _qwen2_vl_7b,
}
"""The same of real size: SAM ViT-H, SDXL inpainting, Stable Diffusion 1.5, Depth Anything V2 Large, DINOv2 large,
Grounding DINO tiny, Efficient LoFTR, CLIP ViT-L/14, ViT-B/16, and Qwen2-VL-7B.
"""
