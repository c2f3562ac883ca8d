"""The step `manipulate` and the naive loop: one idea at a time, with SAM and inpainting as their READMEs call them.

Both sides run the same architecture with the same random weights, steps, scheduler, guidance, precision and size, in
one process on one device, and take turns, so that a busy machine is busy for both. Loading is not counted. Each side
ends with a PNG for each idea. Three comparisons: SAM prompted by box on both sides; everything-mode on both; and,
separately, our box prompts against everything-mode, as in the paper's pipeline.

On a CPU the networks are small ones of the same kind, because a ViT-B takes half a minute per picture; `--full` builds
ViT-B and Stable Diffusion 1.5's own configuration, and is the default on a GPU.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
from measuring import show
from PIL import Image

from benchwright.construction.item_parts.idea import Change, GroundedSubject, Idea, packed
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import unpacked
from benchwright.construction.manipulation.masks.choosing import choose
from benchwright.construction.manipulation.masks.sam_import import segment_anything
from benchwright.images.decode import encode_png, pixel_hash
from benchwright.records import ImageRecord
from benchwright.seeds import generator_for

GUIDANCE = 10.0
CHANGE = Change(aspect="it", natural="a", manipulated="b")


class Size(NamedTuple):
    """The size of both sides' models."""

    sam_px: int
    sam_width: int
    sam_depth: int
    blocks: tuple[int, ...]
    text_width: int
    side_px: int
    steps: int
    points: int


SMALL = Size(256, 96, 4, (32, 64), 64, 128, 4, 6)
FULL = Size(1024, 768, 12, (320, 640, 1280, 1280), 768, 512, 50, 32)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=4)
    parser.add_argument("--ideas", type=int, default=3, help="of each picture")
    parser.add_argument("--rounds", type=int, default=3, help="how often both sides take turns")
    parser.add_argument("--full", action="store_true", help="ViT-B and Stable Diffusion 1.5's configuration")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1, help="of torch on a CPU")
    parser.add_argument("--only", choices=["box", "everything", "apart"], help="one of the three comparisons")
    given = parser.parse_args()
    import torch

    torch.set_num_threads(given.threads)
    on_gpu = torch.cuda.is_available()
    size = FULL if given.full or on_gpu else SMALL
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_sam(folder / "sam.pth", size)
        make_inpainting(folder / "inpaint", size)
        pictures = make_pictures(given.pictures, side=2 * size.side_px)
        document: dict[str, Any] = {
            "device": torch.cuda.get_device_name() if on_gpu else f"CPU, {given.threads} thread(s) of {os.cpu_count()}",
            "networks": "ViT-B, Stable Diffusion 1.5" if size is FULL else "small ones of the same kind",
            "pictures": given.pictures, "ideas_each": given.ideas, **size._asdict(),
        }  # fmt: skip
        for what, theirs, ours in (
            ("box", "box", "box"), ("everything", "everything", "everything"), ("apart", "everything", "box"),
        ):  # fmt: skip
            if given.only in (None, what):
                document[what] = compared(folder, size, pictures, given, theirs=theirs, ours=ours)
                print(what, document[what], file=sys.stderr, flush=True)
        show(document)


def compared(
    folder: Path, size: Size, pictures: Sequence[np.ndarray], given: Any, *, theirs: str, ours: str
) -> dict[str, Any]:
    """Let both sides take turns; return medians, their ratio, and on a GPU memory and utilization."""
    naive = Naive(folder, size, theirs)
    step = Ours(folder, size, ours, given.batch_size)
    sides: dict[str, Callable[[], int]] = {
        "naive": lambda: naive.run(pictures, given.ideas),
        "ours": lambda: step.run(pictures, given.ideas),
    }
    for side in sides.values():  # first calls choose algorithms
        side()
    costs: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for _ in range(given.rounds):
        for name, side in sides.items():
            costs[name].append(measured(side, given.pictures * given.ideas))
    document: dict[str, Any] = {"naive_mask": theirs, "our_mask": ours}
    for name, found in costs.items():
        document[name] = {key: round(statistics.median(one[key] for one in found), 3) for key in found[0]}
    for key in ("wall_s", "cpu_s"):
        document[f"times_{key}"] = round(document["naive"][key] / document["ours"][key], 2)
    return document


def measured(side: Callable[[], int], expected: int) -> dict[str, float]:
    """Return the cost of one turn of a side; both must make a picture of each idea."""
    import torch

    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    with Utilisation(on=on_gpu) as used:
        wall, cpu = time.perf_counter(), time.process_time()
        made = side()
        if on_gpu:
            torch.cuda.synchronize()
        found = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    if made != expected:
        raise SystemExit(f"{made} pictures of {expected} ideas; the sides would not do the same work")
    found["images_per_minute"] = 60 * made / found["wall_s"]
    if on_gpu:
        found |= {"gpu_peak_mb": torch.cuda.max_memory_allocated() / 2**20, "gpu_used": used.mean()}
    return found


class Utilisation:
    """A sampler of the GPU's load by nvidia-smi, twice a second."""

    def __init__(self, *, on: bool) -> None:
        self._on, self._said, self._ended = on, list[float](), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Utilisation:
        if self._on:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._on:
            self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            asked = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
            said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
            self._said += [float(said[0]) / 100] if said else []

    def mean(self) -> float:
        """Return the mean share of time, 0-1."""
        return statistics.fmean(self._said) if self._said else 0.0


def boxes_of(side: int, count: int) -> list[tuple[float, float, float, float]]:
    """Return boxes on different places of a picture."""
    rng = np.random.default_rng(3)
    corners = rng.uniform(0.05, 0.4, (count, 2)) * side
    return [(float(x), float(y), float(x + 0.45 * side), float(y + 0.5 * side)) for x, y in corners]


class Naive:
    """One idea at a time: `set_image`, `predict` or `generate`, then the pipeline, then `save`."""

    def __init__(self, folder: Path, size: Size, mask: str) -> None:
        import torch
        from diffusers import DDIMScheduler, StableDiffusionInpaintPipeline

        from benchwright.construction.manipulation.masks.sam_architecture import load_sam

        self._size, self._mask = size, mask
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = torch.bfloat16 if self._device == "cuda" else torch.float32
        sam = load_sam(folder / "sam.pth").to(self._device)
        self._predictor = segment_anything().SamPredictor(sam)
        self._generator = segment_anything().SamAutomaticMaskGenerator(sam, **everything(size))
        self._pipe = StableDiffusionInpaintPipeline.from_pretrained(folder / "inpaint", dtype=dtype).to(self._device)
        self._pipe.scheduler = DDIMScheduler.from_config(self._pipe.scheduler.config)
        self._pipe.set_progress_bar_config(disable=True)

    def run(self, pictures: Sequence[np.ndarray], ideas: int) -> int:
        """Make every picture of every idea; return how many."""
        import torch

        made = 0
        for pixels in pictures:
            for number, box in enumerate(boxes_of(pixels.shape[0], ideas)):
                mask = self._mask_of(pixels, box)
                side = self._size.side_px
                image = Image.fromarray(pixels).resize((side, side))
                white = Image.fromarray((~mask * 255).astype(np.uint8)).resize((side, side))
                [painted] = self._pipe(
                    prompt="a cat", image=image, mask_image=white, height=side, width=side,
                    num_inference_steps=self._size.steps, guidance_scale=GUIDANCE,
                    generator=torch.Generator("cpu").manual_seed(number),
                ).images  # fmt: skip
                painted.resize(pixels.shape[1::-1]).save(io.BytesIO(), "PNG")
                made += 1
        return made

    def _mask_of(self, pixels: np.ndarray, box: tuple[float, ...]) -> np.ndarray:
        import torch

        with torch.inference_mode():
            if self._mask == "box":
                self._predictor.set_image(pixels)
                masks, _, _ = self._predictor.predict(box=np.array(box), multimask_output=False)
                return np.asarray(masks[0])
            found = [one["segmentation"] for one in self._generator.generate(pixels)]
        number = choose(found, box, overlap="iou", max_area=0.99999)  # type: ignore[arg-type]
        return np.asarray(found[number or 0])


class Ours:
    """The step, on all pictures together, as the engine calls it."""

    def __init__(self, folder: Path, size: Size, mask: str, batch_size: int) -> None:
        grid = everything(size)
        settings = {
            "backend": "diffusion", "ways": ["background"], "max_side_px": 4096,
            "inpaint": {"weights": "inpaint", "steps": size.steps, "side_px": size.side_px},
            "masks": {
                "by": "segment_anything", "weights": "sam.pth", "prompt": mask, "min_box_iou": 0, "max_area": 0.99999,
                "min_area": 1e-9, "points_per_side": grid["points_per_side"], "min_iou": grid["pred_iou_thresh"],
                "min_stability": grid["stability_score_thresh"],
            },
            "hardware": {"batch_size": batch_size},
        }  # fmt: skip
        self._step = Manipulate.model_validate(settings, context={"folder": folder})
        self._opened = self._step.open(None)  # type: ignore[arg-type]

    def run(self, pictures: Sequence[np.ndarray], ideas: int) -> int:
        """Make every picture of every idea; return how many."""
        context = Around(pictures, ideas, self._opened)
        outcomes = self._step.many(list(context.records.values()), context)  # type: ignore[arg-type]
        return sum(len(unpacked(outcome.values["pairs"])) for outcome in outcomes)  # type: ignore[arg-type]


class Around:
    """A context for the step, without files: pictures in memory, PNGs encoded and dropped."""

    operation_id = "0" * 32

    def __init__(self, pictures: Sequence[np.ndarray], ideas: int, opened: Any) -> None:
        self.opened, self.images = opened, self
        self.records = {record.image_id: record for record in map(_record, pictures)}
        self._pixels = dict(zip(self.records, pictures, strict=True))
        self._planned = packed([_idea(number, box) for number, box in enumerate(boxes_of(len(pictures[0]), ideas))])

    def rgb(self, record: ImageRecord) -> np.ndarray:
        return self._pixels[record.image_id]

    def value(self, record_id: str, name: str) -> str:
        del record_id, name
        return self._planned

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        return generator_for(0, "manipulate", record_id, *more)

    def image(self, image_id: str) -> ImageRecord:
        return self.records[image_id]

    def store_image(self, pixels: np.ndarray, *, parents: Sequence[ImageRecord]) -> ImageRecord:
        del parents
        encode_png(pixels)
        return _record(pixels)


def _record(pixels: np.ndarray) -> ImageRecord:
    found = pixel_hash(pixels)
    return ImageRecord(
        image_id=found, width=pixels.shape[1], height=pixels.shape[0], media_type="image/png", size_bytes=1,
        root_image_id=found,
    )  # fmt: skip


def _idea(number: int, box: tuple[float, float, float, float]) -> Idea:
    return Idea(
        idea_id=f"B1-{number}", category="B1", way="background", subject=GroundedSubject(phrase="it", box=box),
        low=CHANGE, high=CHANGE, natural_caption="a cat", manipulated_caption="a cat", instruction="a cat",
    )  # fmt: skip


def everything(size: Size) -> dict[str, float]:
    """Return settings of everything-mode; random weights predict nothing, so every mask counts."""
    return {"points_per_side": size.points, "pred_iou_thresh": -1e9, "stability_score_thresh": 0.0}


def make_pictures(count: int, *, side: int) -> list[np.ndarray]:
    """Return smooth noise, (side, side, 3)."""
    rng = np.random.default_rng(11)
    small = rng.integers(0, 256, (count, 24, 24, 3), dtype=np.uint8)
    return [np.asarray(Image.fromarray(one).resize((side, side), Image.Resampling.BICUBIC)) for one in small]


def make_sam(path: Path, size: Size) -> None:
    """Write random weights of a SAM."""
    import torch

    torch.manual_seed(0)
    modeling = segment_anything().modeling
    grid, dim = size.sam_px // 16, 256 if size is FULL else 64
    encoder = modeling.ImageEncoderViT(
        depth=size.sam_depth, embed_dim=size.sam_width, img_size=size.sam_px, mlp_ratio=4,
        norm_layer=partial(torch.nn.LayerNorm, eps=1e-6), num_heads=size.sam_width // 64 or 1, patch_size=16,
        qkv_bias=True, use_rel_pos=True, global_attn_indexes=[size.sam_depth - 1], window_size=7, out_chans=dim,
    )  # fmt: skip
    prompts = modeling.PromptEncoder(
        embed_dim=dim, image_embedding_size=(grid, grid), input_image_size=(size.sam_px,) * 2, mask_in_chans=16
    )
    decoder = modeling.MaskDecoder(
        num_multimask_outputs=3, transformer_dim=dim,
        transformer=modeling.TwoWayTransformer(depth=2, embedding_dim=dim, mlp_dim=8 * dim, num_heads=8),
    )  # fmt: skip
    sam = modeling.Sam(encoder, prompts, decoder, pixel_mean=[123.675, 116.28, 103.53], pixel_std=[58.4, 57.1, 57.4])
    torch.save(sam.state_dict(), path)


def make_inpainting(folder: Path, size: Size) -> None:
    """Write random weights of an inpainting pipeline."""
    import torch
    from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionInpaintPipeline, UNet2DConditionModel
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    torch.manual_seed(0)
    letters = sorted(ByteLevel.alphabet())
    names = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    words = CLIPTokenizer(vocab={one: at for at, one in enumerate(names)}, merges=[], model_max_length=77)
    depth, blocks = len(size.blocks), size.blocks
    text = CLIPTextConfig(
        vocab_size=len(words), hidden_size=size.text_width, intermediate_size=4 * size.text_width,
        num_hidden_layers=12 if size is FULL else 2, num_attention_heads=size.text_width // 64 or 1,
        bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id,
    )  # fmt: skip
    crossing = ("CrossAttnDownBlock2D",) * (depth - 1) + ("DownBlock2D",)
    unet = UNet2DConditionModel(
        sample_size=size.side_px // 8, in_channels=9, out_channels=4, layers_per_block=2 if size is FULL else 1,
        block_out_channels=blocks, down_block_types=crossing,
        up_block_types=tuple(name.replace("Down", "Up") for name in reversed(crossing)),
        cross_attention_dim=size.text_width, attention_head_dim=8,
    )  # fmt: skip
    coding = (128, 256, 512, 512) if size is FULL else (32, 32, 64, 64)
    vae = AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=4, layers_per_block=2 if size is FULL else 1,
        block_out_channels=coding, down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
    )  # fmt: skip
    StableDiffusionInpaintPipeline(
        vae=vae, text_encoder=CLIPTextModel(text), tokenizer=words, unet=unet,
        scheduler=DDIMScheduler(beta_schedule="scaled_linear", clip_sample=False, steps_offset=1),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    ).save_pretrained(folder)  # fmt: skip


if __name__ == "__main__":
    main()
