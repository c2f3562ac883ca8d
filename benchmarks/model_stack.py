"""Every model that Benchwright runs locally, through Benchwright's own code: speed, memory, bytes.

    python benchmarks/model_stack.py                        # tiny models on a CPU, real sizes where there is a GPU
    python benchmarks/model_stack.py --parts vlm,inpaint    # only these parts

Weights are random, of the shape of the published ones (`random_weights.py`), so nothing is fetched and the models'
outputs have no meaning; time and memory are those of the real models. Each part runs in a separate process, so that one
that fails or takes too long stops no other, and prints a line of JSON.

Parts: `sam` (masks by boxes), `clicks` (the marking helper), `inpaint` (the step `manipulate`), `small_card` (the same
and the vision-language model with too little memory), `steps` (each step with a model, in one process), `precision`
(the effect of half precision), `engine` (a whole recipe by the local engine, twice), `specialists` and `vlm` (`evaluate
run`), `fed` (pictures per second of the steps' models, and the share of the card's peak).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
from manipulation import Around, boxes_of
from measuring import peak_mb
from PIL import Image
from random_weights import REAL, TINY
from step_context import StepContext
from walks import tree_digest

from benchwright.canonical import bytes_digest, digest
from benchwright.construction.estimated.detected_boxes import DetectedBoxes
from benchwright.construction.estimated.estimated_depth import EstimatedDepth
from benchwright.construction.estimated.similar_pictures import PictureFeatures, SimilarPictures
from benchwright.construction.helpers.sam import SamHelper
from benchwright.construction.item_parts.cutting_out import Hints
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import unpacked
from benchwright.construction.manipulation.masks.base import MaskRequest, PictureRequests
from benchwright.construction.manipulation.masks.sam_package import SamPackage, package_encoder
from benchwright.construction.manipulation.models.weights import find_weights
from benchwright.diagnostics.features.embeddings import Embeddings
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.run import evaluate
from benchwright.filters.safety import SafetyScores
from benchwright.models import find_device, free_memory
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation, VisualPrompt
from benchwright.regions import HelperPicture, RegionHints
from benchwright.release import Release, write_release
from benchwright.steps import FOLDER, MapStep

R = TypeVar("R")
PHRASES = ["cat", "cup", "traffic light", "person", "dog"]
SIZES_WH = ((1600, 1200), (1024, 768), (900, 1200))
BOXES = {"weights": "grounding_dino", "threshold": 0.95, "unsure": 0.04}
"""Random weights find a box in every place: with so high a threshold, none, as mostly in photographs."""
OPERATION = Operation(step="by_hand", version=1, parameters={}, seed=1)


class Bench(NamedTuple):
    """The material of every part.

    Args:
        weights: Folder with the models.
        pictures: JPEG files of three sizes.
        work: Empty folder.
        is_real: Whether the models have their real size.
        denoising: Denoising steps of a painted picture.
    """

    weights: Path
    pictures: tuple[Path, ...]
    work: Path
    is_real: bool
    denoising: int

    @property
    def context(self) -> dict[str, Any]:
        """The validation context by which a step finds weights."""
        return {FOLDER: self.weights}


def main() -> None:
    """Make missing files, run every part, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=["auto", "tiny", "real"], default="auto")
    parser.add_argument("--parts", default=",".join(PARTS), help="names, with commas between them")
    parser.add_argument("--pictures", type=int, default=0, help="how many  [default: 6 tiny, 96 real]")
    parser.add_argument("--images", type=Path, help="folder of photographs to make them of  [default: the demo's]")
    parser.add_argument("--folder", type=Path, help="where models and pictures are kept for the next time")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a part")
    parser.add_argument("--denoising", type=int, default=0, help="steps of a picture  [default: 2 tiny, 30 real]")
    parser.add_argument("--jobs", type=int, default=1, help="models that are made at a time")
    parser.add_argument("--beside", type=int, default=1, help="parts that run at a time; above 1, times mean nothing")
    parser.add_argument("--out", type=Path, help="file for the lines")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        _child(given)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        size = given.size
        if size == "auto":
            size = "real" if _has_gpu() else "tiny"
        given.pictures = given.pictures or (96 if size == "real" else 6)
        given.denoising = given.denoising or (30 if size == "real" else 2)
        parts = given.parts.split(",")
        needed = dict.fromkeys(model for part in parts for model in PARTS[part].models)
        jobs = [f"make:{model}" for model in needed if not (folder / size / model).exists()]
        for names, at_a_time in (([*jobs, "pictures"], given.jobs), (parts, given.beside)):
            with ThreadPoolExecutor(at_a_time) as threads:
                for line in threads.map(lambda name: _in_process(name, folder, size, given), names):
                    print(line, flush=True)
                    if given.out:
                        with given.out.open("a", encoding="utf-8") as lines:
                            lines.write(line + "\n")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _in_process(name: str, folder: Path, size: str, given: argparse.Namespace) -> str:
    arguments = [sys.executable, __file__, "--run", name, "--folder", str(folder), "--size", size]
    arguments += ["--denoising", str(given.denoising)]
    arguments += ["--pictures", str(given.pictures), *(["--images", str(given.images)] if given.images else [])]
    started = time.perf_counter()
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=given.timeout, check=False)
        said, code = done.stdout.strip().splitlines(), done.returncode
        error = done.stderr[-3000:]
    except subprocess.TimeoutExpired as late:
        said, code = (late.stdout or b"").decode(errors="replace").strip().splitlines(), -1
        error = "timed out: " + (late.stderr or b"").decode(errors="replace")[-2000:]
    document: dict[str, Any] = {"part": name, "took_s": round(time.perf_counter() - started, 1)}
    for line in said:
        if line.startswith("{"):
            document |= json.loads(line)
    return json.dumps(document if code == 0 else document | {"exit_code": code, "error": error})


def _child(given: argparse.Namespace) -> None:
    """Run one part, or make one model or the pictures, and print facts as lines of JSON as they become known."""
    size: str = given.size
    models = given.folder / size
    pictures = given.folder / f"pictures-{size}"
    if given.run == "pictures":
        show(pictures=write_pictures(pictures, given.images, given.pictures, is_real=size == "real"))
    elif given.run.startswith("make:"):
        name = given.run.removeprefix("make:")
        models.mkdir(parents=True, exist_ok=True)
        partial = models / f"{name}.partial"
        (REAL if size == "real" else TINY)[name](partial)
        partial.rename(models / name)
        files = [path for path in (models / name).rglob("*") if path.is_file()] or [models / name]
        show(gigabytes=round(sum(path.stat().st_size for path in files) / 1e9, 3))
    else:
        with tempfile.TemporaryDirectory(dir=given.folder) as work:
            files = tuple(sorted(pictures.glob("*.jpg")))[: given.pictures]
            bench = Bench(models, files, Path(work), size == "real", given.denoising)
            PARTS[given.run].run(bench)
            show(host_peak_mb=round(peak_mb()))


def show(**facts: Any) -> None:
    """Print facts as a line."""
    print(json.dumps(facts), flush=True)


def write_pictures(folder: Path, images: Path | None, count: int, *, is_real: bool) -> int:
    """Write JPEGs cut from photographs, in three sizes by turns; return their number."""
    from benchwright.cli.demo import prepare_photographs
    from benchwright.images import decode_rgb

    folder.mkdir(exist_ok=True)
    if len(list(folder.glob("*.jpg"))) >= count:
        return count
    if images is None:
        images = folder / "photographs"
        prepare_photographs(images)
    photographs = [decode_rgb(path) for path in sorted(images.iterdir()) if path.name in _GOOD]
    rng = np.random.default_rng(5)
    for number in range(count):
        pixels = photographs[number % len(photographs)]
        sides = [int(side * rng.uniform(0.6, 1)) for side in pixels.shape[:2]]
        y, x = (int(rng.integers(0, whole - side + 1)) for whole, side in zip(pixels.shape, sides, strict=False))
        cut = Image.fromarray(pixels[y : y + sides[0], x : x + sides[1]])
        size_wh = SIZES_WH[number % 3] if is_real else tuple(side // 8 for side in SIZES_WH[number % 3])
        cut.resize(size_wh).save(folder / f"{number:04}.jpg", quality=92)
    return count


_GOOD = ("astronaut.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg", "china.jpg", "flower.jpg")


class Cost(NamedTuple):
    """Seconds of a piece of work, its processor seconds, and the peak of the GPU's memory held by torch, in MiB."""

    seconds: float
    cpu_s: float
    gpu_peak_mb: float

    def per_second(self, count: int) -> dict[str, float]:
        """Return the rate per second, with the memory and the number of busy processors."""
        busy = round(self.cpu_s / self.seconds, 2)
        return {"per_s": round(count / self.seconds, 3), "cpus": busy, "gpu_peak_mb": round(self.gpu_peak_mb)}


def measured(work: Callable[[], R]) -> tuple[R, Cost]:
    """Return a function's result and its cost."""
    import torch

    has_gpu = torch.cuda.is_available()
    if has_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    started, cpu_s = time.perf_counter(), time.process_time()
    result = work()
    if has_gpu:
        torch.cuda.synchronize()
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu_s
    return result, Cost(seconds, cpu_s, torch.cuda.max_memory_allocated() / 2**20 if has_gpu else 0.0)


def decoded(bench: Bench, count: int) -> list[np.ndarray]:
    """Return the pixels of some pictures."""
    return [np.asarray(Image.open(path).convert("RGB")) for path in bench.pictures[:count]]


def placement(model: Any) -> list[str]:
    """Return the devices and number types of a model's weights."""
    return sorted({f"{weight.device.type} {str(weight.dtype).removeprefix('torch.')}" for weight in model.parameters()})


def digest_of(arrays: Sequence[Any]) -> str:
    """Return a digest of arrays."""
    return digest([bytes_digest(np.ascontiguousarray(array).tobytes()) for array in arrays])[:16]


def sam(bench: Bench) -> None:
    """Measure SAM's masks by boxes, as in `manipulate`: one or four boxes per picture, and everything in one."""
    device = find_device(None, "auto")
    masker, opening = measured(lambda: _masker(bench, "box"))
    show(device=device.place, dtype=device.dtype, open_s=round(opening.seconds, 1))
    show(weights_on=placement(masker._predictor.model))
    pictures = decoded(bench, 12)
    masker.masks([_asked(pictures[0], 1)])

    def masks(boxes: int) -> list[Any]:
        return [mask for masks in masker.masks([_asked(pixels, boxes) for pixels in pictures]) for mask in masks]

    for boxes in (1, 4):
        made, cost = measured(partial(masks, boxes))
        show(
            **{
                f"boxes_{boxes}": cost.per_second(len(pictures)),
                "same_bytes": digest_of(made) == digest_of(masks(boxes)),
            }
        )
    everything = _masker(bench, "everything")
    _, cost = measured(lambda: everything.masks([_asked(pictures[1], 4)]))
    show(everything=cost.per_second(1))


def _masker(bench: Bench, prompt: Any) -> SamPackage:
    device, weights = find_device(None, "auto"), bench.weights / "sam.pth"
    encoder = package_encoder(weights, device).in_batches()
    return SamPackage(weights, "0" * 64, device, encoder, prompt=prompt, overlap="iou", max_area=0.99)


def _asked(pixels: np.ndarray, count: int) -> PictureRequests:
    return PictureRequests(pixels, [MaskRequest(Hints(box=box), 0) for box in boxes_of(min(pixels.shape[:2]), count)])


def clicks(bench: Bench) -> None:
    """Measure the marking helper: a picture is embedded once, then each click runs the decoder."""
    weights, hashing = measured(
        lambda: find_weights(bench.weights / "sam.pth", purpose="it", fetch="nothing", needs="it")
    )
    helper, opening = measured(lambda: SamHelper(weights, find_device(None, "float32")))
    show(hash_s=round(hashing.seconds, 1), open_s=round(opening.seconds, 1))
    pixels = decoded(bench, 1)[0]
    picture = HelperPicture("0" * 64, (pixels.shape[1], pixels.shape[0]), lambda: pixels)
    helper.prepare(picture)
    prepared, embedding = measured(lambda: helper.prepare(picture))
    hints = RegionHints(shape="mask", inside=(((pixels.shape[1] / 2, pixels.shape[0] / 2),),))
    helper.propose_from(prepared, picture, hints)
    _, click = measured(lambda: [helper.propose_from(prepared, picture, hints) for _ in range(5)])
    show(embed_s=round(embedding.seconds, 3), click_s=round(click.seconds / 5, 4), gpu_peak_mb=round(click.gpu_peak_mb))


def _manipulate(bench: Bench, batch_size: int, steps: int) -> Manipulate:
    side = {} if bench.is_real else {"side_px": 64}
    settings = {
        "backend": "diffusion", "ways": ["background"],
        "inpaint": {"preset": "sdxl_inpaint", "weights": "sdxl_inpaint", "steps": steps, **side},
        "masks": {
            "by": "segment_anything", "weights": "sam.pth", "min_box_iou": 0, "max_area": 1 - 1e-6, "min_area": 1e-9,
        },
        "hardware": {"batch_size": batch_size},
    }  # fmt: skip
    return Manipulate.model_validate(settings, context=bench.context)


def _squares(bench: Bench, count: int) -> list[np.ndarray]:
    side = 1024 if bench.is_real else 96
    return [np.asarray(Image.fromarray(pixels).resize((side, side))) for pixels in decoded(bench, count)]


def inpaint(bench: Bench) -> None:
    """Measure `manipulate` with SAM and SDXL inpainting at 1024 pixels: pictures by batch size, twice the same."""
    show(denoising=bench.denoising)
    tools, opening = measured(lambda: _manipulate(bench, 1, bench.denoising).open(None))  # type: ignore[arg-type]
    painter: Any = tools.painters["inpaint"]
    parts = (painter.pipeline.unet, painter.pipeline.vae, painter.pipeline.text_encoder_2)
    show(open_s=round(opening.seconds, 1), weights_on=[placement(part) for part in parts])
    pictures = _squares(bench, 4)
    for batch_size, ideas in ((1, 2), (4, 2), (8, 4)):
        painter._batches.size = batch_size
        step_ = _manipulate(bench, batch_size, bench.denoising)
        context = Around(pictures, ideas, tools)
        records = list(context.records.values())

        def made(step_: Manipulate = step_, context: Around = context, records: Any = records) -> list[str]:
            outcomes = step_.many(records, context)  # type: ignore[arg-type]
            return [pair.manipulated for outcome in outcomes for pair in unpacked(str(outcome.values["pairs"]))]

        if batch_size == 1:
            made(records=records[:1])  # the first call chooses algorithms
        pairs, cost = measured(made)
        facts: dict[str, Any] = {**cost.per_second(len(pairs)), "made": len(pairs)}
        if batch_size == 4:
            facts["same_bytes"] = made() == pairs
        show(**{f"batch_{batch_size}": facts})


def small_card(bench: Bench) -> None:
    """Measure batches too large for the card: the work still done, and the final batch size."""
    import torch

    from benchwright.construction.manipulation.editors.base import Edit, Painted

    if torch.cuda.is_available():
        whole = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, 24 * 2**30 / whole))
        show(memory_gib=24)
    step_ = _manipulate(bench, 32, 4 if bench.is_real else 2)
    painter: Any = step_.open(None).painters["inpaint"]  # type: ignore[arg-type]
    pictures = _squares(bench, 4) * 8
    edits = [Edit(pixels, np.ones(pixels.shape[:2], bool), "a cat", seed) for seed, pixels in enumerate(pictures[:32])]
    painted, cost = measured(lambda: painter.paint(edits))
    show(painted=sum(isinstance(result, Painted) for result in painted), of=len(edits))
    show(batch_left=painter._batches.size, **cost.per_second(len(edits)))
    painter.pipeline.to("cpu")
    free_memory()
    release = release_of(bench, 24)
    options = BackendOptions(batch_size=24, max_tokens=8)
    for how in ("transformers", "likelihood"):
        score, cost = measured(
            lambda how=how: evaluate(release, f"{how}:{bench.weights / 'vlm'}", split="naming", options=options)
        )
        show(**{how: {"errors": score.error, "asked": score.asked, **cost.per_second(score.asked)}})


def _model_steps(bench: Bench, batch_size: int | None) -> Iterator[tuple[str, MapStep]]:
    sizes = {"batch_size": batch_size}
    yield "estimated_depth", EstimatedDepth.model_validate({"weights": "depth", **sizes}, context=bench.context)
    yield (
        "detected_boxes",
        DetectedBoxes.model_validate({**BOXES, "phrases": PHRASES, **sizes}, context=bench.context),
    )
    similar = SimilarPictures.model_validate({"weights": "dinov2", **sizes}, context=bench.context)
    yield "similar_pictures", PictureFeatures.of(similar)
    yield "embeddings", Embeddings.model_validate({"model": "clip"}, context=bench.context)
    scores = {"model": "classifier", "labels": ("unsafe",), "device": None, **sizes}
    yield "safety", SafetyScores.model_validate(scores, context=bench.context)


def steps(bench: Bench) -> None:
    """Measure every step with a model, called as an engine calls it, in one process."""
    import torch

    torch.set_num_threads(1)  # as in a worker
    context = StepContext(bench.work)
    records = [context.add_file(path) for path in bench.pictures]
    _, cost = measured(lambda: [_in_chunks(lambda some: [context.images.rgb(r) for r in some], records, context)])
    show(decoding=cost.per_second(len(records)))
    for batch_size in (8, 1):
        for name, step_ in _model_steps(bench, batch_size):
            opened, opening = measured(partial(step_.open, context))
            context.opened = opened
            few = records[: len(records) // 3] if name == "detected_boxes" else records
            step_.many(few[:2], context)
            opened.work = timed = _Timed(opened.work)
            outcomes, cost = measured(partial(_in_chunks, partial(step_.many, ctx=context), few, context))
            facts = {"open_s": round(opening.seconds, 1), **cost.per_second(len(few))}
            facts |= {"in_model": round(timed.seconds / cost.seconds, 2)}
            facts |= {"failed": sum(outcome.verdict == "failed" for outcome in outcomes)}
            show(**{f"{name}_batch_{batch_size}": facts})


class _Timed:
    """A function with its accumulated seconds: of preparing pictures for the model, and of the model."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work, self.seconds = work, 0.0

    def __call__(self, *arguments: Any) -> Any:
        started = time.perf_counter()
        result = self._work(*arguments)
        self.seconds += time.perf_counter() - started
        return result


def _in_chunks(
    work: Callable[[Sequence[ImageRecord]], Sequence[R]], records: Sequence[ImageRecord], context: StepContext
) -> list[R]:
    """Work on as many pictures at a time as the engine, and drop decoded ones as it does."""
    from benchwright.pipeline.stages.map_stage import PIXELS_PER_CHUNK, ROOTS_PER_CHUNK

    results: list[R] = []
    chunk: list[ImageRecord] = []
    for number, record in enumerate(records):
        chunk.append(record)
        pixels = sum(some.width * some.height for some in chunk)
        if len(chunk) == ROOTS_PER_CHUNK or pixels >= PIXELS_PER_CHUNK or number == len(records) - 1:
            results += work(chunk)
            context.images._reader.drop()
            chunk = []
    return results


def precision(bench: Bench) -> None:
    """Measure the savings and changes by TF32 and bfloat16: networks of the estimators alone, without decoding."""
    import torch
    from transformers import AutoModel, DepthAnythingForDepthEstimation

    has_gpu = torch.cuda.is_available()
    place = "cuda" if has_gpu else "cpu"
    generator = torch.Generator().manual_seed(0)
    side = 518 if bench.is_real else 56
    for name, kind in (("depth", DepthAnythingForDepthEstimation), ("dinov2", AutoModel)):
        model = kind.from_pretrained(bench.weights / name, local_files_only=True).float().to(place).eval()
        exact: Any = None
        for numbers in ("float32", "tf32", "bfloat16"):
            for batch in (1, 8):
                inputs = torch.randn(batch, 3, side, side, generator=generator.manual_seed(0)).to(place)
                torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = numbers == "tf32"

                def once(inputs: Any = inputs, model: Any = model, numbers: str = numbers) -> Any:
                    enabled = numbers == "bfloat16"
                    with torch.inference_mode(), torch.autocast(place, dtype=torch.bfloat16, enabled=enabled):
                        output = model(pixel_values=inputs)
                    return getattr(output, "predicted_depth", None) if name == "depth" else output.pooler_output  # noqa: B023

                once()
                output, cost = measured(lambda once=once: [once() for _ in range(5)][-1])
                if batch == 1:
                    exact = output.float() if numbers == "float32" else exact
                    change = float((output.float() - exact).norm() / exact.norm())
                    show(**{f"{name}_{numbers}_change": round(change, 6)})
                show(**{f"{name}_{numbers}_batch_{batch}": cost.per_second(5 * batch)})
        del model


def engine(bench: Bench) -> None:
    """Measure a recipe with four models by the local engine: workers, time, memory of the card, equal bytes."""
    folder = bench.work / "photos"
    folder.mkdir()
    for path in bench.pictures:
        (folder / path.name).hardlink_to(path)
    steps_ = [
        step("safety", model="classifier", refuse={"unsafe": 0.999999}),
        step("estimated_depth", weights="depth"),
        step("detected_boxes", phrases=PHRASES, **BOXES),
        step("similar_pictures", weights="dinov2"),
    ]
    digests = []
    for workers in (None, None, 1):
        workspace = bench.work / f"workspace-{len(digests)}"
        recipe = Recipe("models", steps_, seed=3, folder=bench.weights)
        with CardMemory() as memory:
            _, cost = measured(
                lambda workers=workers, workspace=workspace, recipe=recipe: run_recipe(
                    recipe, workspace=workspace, images=folder, workers=workers
                )
            )
        started = len(list(workspace.rglob("worker-*.log")))
        facts = {"wall_s": round(cost.seconds, 1), "per_s": round(len(bench.pictures) / cost.seconds, 3)}
        facts |= {"workers": started, "card_peak_mb": memory.peak_mb}
        show(**{f"workers_{workers or 'default'}_{len(digests)}": facts})
        digests.append(digest(tree_digest(workspace)))
        show(same_bytes=len(set(digests)) == 1)


class CardMemory:
    """A sampler of the card's memory in use by all processes, four times a second by nvidia-smi."""

    def __init__(self) -> None:
        self.peak_mb = 0

    def __enter__(self) -> CardMemory:
        command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "250"]
        try:
            self._asked = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        except OSError:
            self._asked = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._asked is not None:
            self._asked.terminate()
            said = self._asked.communicate()[0].split()
            self.peak_mb = max((int(word) for word in said if word.isdigit()), default=0)


def release_of(bench: Bench, count: int) -> Release:
    """Write a release with items for the vision-language model and for each specialist, and return it."""
    files: dict[str, bytes] = {}
    records: dict[str, ImageRecord] = {}
    for path in bench.pictures:
        data = path.read_bytes()
        image_id = bytes_digest(data)
        width, height = Image.open(path).size
        files[image_id] = data
        records[image_id] = ImageRecord(
            image_id=image_id, width=width, height=height, media_type="image/jpeg", size_bytes=len(data),
            root_image_id=image_id,
        )  # fmt: skip
    ids = sorted(records, key=lambda image_id: (records[image_id].width, image_id))
    items = []
    for number in range(count):
        shown = [ids[(number + k) % len(ids)] for k in range(3)]
        for task, pictures in (
            ("naming", 1), ("relative_depth", 1), ("visual_correspondence", 2), ("semantic_correspondence", 2),
            ("visual_similarity", 3),
        ):  # fmt: skip
            items.append((_item(task, number, [records[image_id] for image_id in shown[:pictures]]), task))
    return write_release(
        bench.work / "release", name="stack", version="1.0", items=items, image=records.__getitem__,
        image_bytes=lambda record: files[record.image_id], operations=[OPERATION], recipe={}, stages=[], agreement={},
        seed=1,
    )  # fmt: skip


def _item(task: str, number: int, pictures: Sequence[ImageRecord]) -> Item:
    def points(picture: ImageRecord, labels: str) -> tuple[VisualPrompt, ...]:
        rng = np.random.default_rng([number, len(labels)])
        placed = {label: tuple(float(share) for share in rng.uniform(0.15, 0.85, 2)) for label in labels}
        return tuple(
            VisualPrompt(
                kind="ring", image_id=picture.image_id, label=label, points=((x * picture.width, y * picture.height),)
            )
            for label, (x, y) in placed.items()
        )

    marks: list[tuple[VisualPrompt, ...]] = [() for _ in pictures]
    if task == "relative_depth":
        marks[0], options = points(pictures[0], "AB"), ["A is closer", "B is closer"]
    elif task.endswith("correspondence"):
        marks[0] = (points(pictures[0], "R")[0].model_copy(update={"label": "REF"}),)
        marks[1], options = points(pictures[1], "ABCD"), list("ABCD")
    else:
        options = ["a cat", "a motorcycle beside a house", "flowers", "somebody who laughs"]
    choices = [Choice(key=key, text=option) for key, option in zip(LETTERS, options, strict=False)]
    if task == "visual_similarity":
        choices = [Choice(key=key, image_id=p.image_id) for key, p in zip(LETTERS, pictures[1:], strict=False)]
    return Item(
        item_id=digest([task, number])[:32], task=task, kind="multiple_choice",
        images=tuple(
            ItemImage(image_id=p.image_id, role="view", prompts=own) for p, own in zip(pictures, marks, strict=True)
        ),
        question="Which of these is right? " * (1 + number % 3), choices=tuple(choices), answer="A",
        root_image_id=pictures[0].image_id, operation_id=OPERATION.operation_id, made_from=pictures[0].image_id,
        evidence={},
    )  # fmt: skip


SPECIALISTS = {"depth_anything": "depth", "dino": "dinov2", "dift": "sd", "learned_matches": "matcher"}


def specialists(bench: Bench) -> None:
    """Measure `evaluate run` of the learned specialists, each on the items of its tasks, by batch size."""
    release = release_of(bench, len(bench.pictures) // 2)
    for name, weights in SPECIALISTS.items():
        metrics = []
        for batch_size in (8, 1):
            options = BackendOptions(batch_size=batch_size)
            model = f"{name}:{bench.weights / weights}"
            score, cost = measured(lambda model=model, options=options: evaluate(release, model, options=options))
            metrics.append(score.metrics)
            facts = {**cost.per_second(score.asked), "asked": score.asked, "errors": score.error}
            show(**{f"{name}_batch_{batch_size}": {"with_opening_s": round(cost.seconds, 1), **facts}})
        show(**{f"{name}_same": metrics[0] == metrics[1]})


def vlm(bench: Bench) -> None:
    """Measure `evaluate run` of a vision-language model: replies and likeliest options, by batch size, twice."""
    release = release_of(bench, len(bench.pictures))
    folder = bench.weights / "vlm"
    replies: dict[tuple[str, int], list[Any]] = {}
    for how, batch_size in (
        ("transformers", 8), ("transformers", 8), ("transformers", 1), ("transformers", 32), ("likelihood", 8),
    ):  # fmt: skip
        out = bench.work / f"out-{how}-{batch_size}-{len(replies.get((how, batch_size), []))}"
        options = BackendOptions(batch_size=batch_size, max_tokens=16)
        score, cost = measured(
            lambda how=how, out=out, options=options: evaluate(
                release, f"{how}:{folder}", split="naming", out=out, options=options
            )
        )
        logged = [json.loads(line) for path in out.rglob("replies.jsonl") for line in path.open(encoding="utf-8")]
        said = sorted((entry["request"], entry["reply"]) for entry in logged if entry.get("kind") == "reply")
        replies.setdefault((how, batch_size), []).append(said)
        facts = {"asked": score.asked, "errors": score.error, "with_opening_s": round(cost.seconds, 1)}
        name = f"{how}_{batch_size}_{len(replies[how, batch_size])}"
        show(**{name: {**facts, **cost.per_second(score.asked)}})
    first, again = replies["transformers", 8]
    alone = replies["transformers", 1][0]
    same = sum(mine == theirs for mine, theirs in zip(first, alone, strict=True))
    show(same_bytes=first == again, same_as_alone=same)


def fed(bench: Bench) -> None:
    """Measure step models shared by all workers, and a plain loop: pictures per second, share of the peak."""
    from fed_card import fed as feed

    weights = {
        "estimated_depth": "depth", "similar_pictures": "dinov2", "embeddings": "clip", "safety": "classifier",
        "manipulate": "sam.pth",
    }  # fmt: skip
    in_all = {"estimated_depth": 1000, "similar_pictures": 6000, "embeddings": 6000, "safety": 8000, "manipulate": 800}
    masks = Manipulate.model_validate(
        {"masks": {"by": "segment_anything", "weights": "sam.pth"}}, context=bench.context
    )
    for name, step_ in (*_model_steps(bench, None), ("manipulate", masks)):
        if name in weights:
            count = in_all[name] if bench.is_real else 4 * len(bench.pictures)
            path = bench.weights / weights[name]
            facts = feed(path.stem, step_, path, bench.pictures, work=bench.work, pictures_in_all=count)
            show(**{name: facts})


class Part(NamedTuple):
    """A part and its required models."""

    run: Callable[[Bench], None]
    models: tuple[str, ...]


PARTS = {
    "sam": Part(sam, ("sam.pth",)),
    "clicks": Part(clicks, ("sam.pth",)),
    "inpaint": Part(inpaint, ("sam.pth", "sdxl_inpaint")),
    "small_card": Part(small_card, ("sam.pth", "sdxl_inpaint", "vlm")),
    "steps": Part(steps, ("depth", "grounding_dino", "dinov2", "clip", "classifier")),
    "precision": Part(precision, ("depth", "dinov2")),
    "engine": Part(engine, ("classifier", "depth", "grounding_dino", "dinov2")),
    "specialists": Part(specialists, ("depth", "dinov2", "sd", "matcher")),
    "vlm": Part(vlm, ("vlm",)),
    "fed": Part(fed, ("depth", "dinov2", "clip", "classifier", "sam.pth")),
}

if __name__ == "__main__":
    main()
