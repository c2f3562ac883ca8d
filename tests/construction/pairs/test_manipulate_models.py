"""The step `manipulate` with the real classes of SAM and diffusers and tiny weights made in the test.

- Every way is carried out by the model that it names, and the editor that actually ran is recorded.
- What must not change stays the same to the byte, whatever the model painted.
- Equal seeds yield equal pixels; another batch size changes only rounding, within a stated tolerance.
- A picture can be made again from its record alone. If memory runs out, the batch is halved.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from planned_ideas import PlannedIdeas, idea
from step_context import StepContext
from tiny_diffusion import make_pipeline
from tiny_sam import make_checkpoint, make_folder

from benchwright.construction.item_parts.idea import GroundedSubject, packed
from benchwright.construction.manipulation.edit_jobs import EditJob, finished
from benchwright.construction.manipulation.editors.base import Edit
from benchwright.construction.manipulation.editors.diffusion import Diffusion, Running
from benchwright.construction.manipulation.editors.windows import EditWindow, softened
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import Manipulated, unpacked
from benchwright.construction.manipulation.models.weights import find_weights
from benchwright.drawing.areas import Rect
from benchwright.drawing.masks import PlacedMask
from benchwright.errors import DataError, PrerequisiteError
from benchwright.models.devices import Device
from benchwright.pipeline import run_steps
from benchwright.records import MaskRuns
from benchwright.steps import Outcome, Resources

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when huggingface_hub is imported
for needed in ("torch", "diffusers", "transformers", "segment_anything"):
    if find_spec(needed) is None:  # none is imported before its tests run: it takes seconds
        pytest.skip(f"{needed} is not installed", allow_module_level=True)

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"), pytest.mark.slow]
CPU = Device("cpu", "float32")
TOLERANCE = 2
"""Levels of 255 by which another batch may change a pixel; docs/manipulated-pairs.md states it."""
SIZES = ((90, 120), (75, 140), (128, 101))
KINDS = ("sd_inpaint", "sdxl_inpaint", "instruct_pix2pix")
IT = GroundedSubject(phrase="it", box=(30, 20, 80, 70), inside=((50, 40),), outside=((5, 5),))


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Models run on one thread, as in a worker: small matrices on several threads of a busy machine take for ever."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tiny weights of everything."""
    folder = tmp_path_factory.mktemp("weights")
    for kind in KINDS:
        make_pipeline(kind, folder / kind)
    make_checkpoint(folder / "sam.pth")
    make_folder(folder / "sam")
    return folder


def step_for(weights: Path, *, preset: str = "paper", by: str = "segment_anything", **more: Any) -> Manipulate:
    """Return a step that paints with models, two steps each."""
    folder = "sdxl_inpaint" if preset == "sdxl_inpaint" else "sd_inpaint"
    masks = {"grabcut": None, "segment_anything": "sam.pth", "sam_transformers": "sam"}
    settings = {
        "backend": "diffusion",
        "inpaint": {"preset": preset, "weights": folder, "steps": 2, "side_px": 64},
        "instruct": {"weights": "instruct_pix2pix", "steps": 2, "side_px": 64},
        "masks": {"by": by, "weights": masks[by], "min_box_iou": 0, "max_area": 0.99, "max_tear": 1},
    }
    return Manipulate.model_validate({**settings, **more}, context={"folder": weights})


@pytest.fixture(scope="module")
def opened(weights: Path) -> Any:
    """The tools of the default step; tests that need no other share them."""
    return step_for(weights).open(None)  # type: ignore[arg-type]


def carry_out(
    folder: Path, step: Manipulate, opened: Any, *, sizes: Sequence[tuple[int, int]] = SIZES[:1]
) -> tuple[list[Outcome], StepContext, list[np.ndarray]]:
    """Let a step carry out an idea of each way on pictures of noise."""
    folder.mkdir(exist_ok=True, parents=True)
    context = StepContext(folder)
    pictures = [np.random.default_rng(n).integers(0, 256, (*size, 3), dtype=np.uint8) for n, size in enumerate(sizes)]
    records = [context.add(pixels, f"{number}.png") for number, pixels in enumerate(pictures)]
    plans = packed([idea("partial", subject=IT, target=IT), idea("background", subject=IT), idea("direct", subject=IT)])
    context._values = {(record.image_id, "ideas.planned"): plans for record in records}
    context.opened = opened
    return list(step.many(records, context)), context, pictures


def pairs_of(outcome: Outcome) -> tuple[Manipulated, ...]:
    return unpacked(outcome.values["pairs"])  # type: ignore[arg-type]


def grid(mask: Any) -> np.ndarray:
    found = MaskRuns.model_validate(mask)
    height, width = found.size
    return PlacedMask(found, Rect(0, 0, width, height), 0).at(np.arange(width) + 0.5, np.arange(height) + 0.5)


def test_a_worker_needs_room_on_the_gpu_for_its_weights_and_a_batch(weights: Path) -> None:
    def mb(name: str) -> int:
        files = [weights / name] if (weights / name).is_file() else (weights / name).rglob("*.safetensors")
        return sum(file.stat().st_size for file in files) >> 20

    needed = 10_000 + mb("sd_inpaint") + mb("instruct_pix2pix") + mb("sam.pth")
    assert step_for(weights).needs() == Resources(memory_mb=8192, gpu_memory_mb=needed)
    assert step_for(weights, hardware={"device": "cpu"}).needs().gpu_memory_mb == 0
    composed = step_for(weights, backend="composite", masks={"by": "grabcut"})
    assert composed.needs() == Resources(memory_mb=1024)


@pytest.mark.parametrize("preset", ["paper", "sdxl_inpaint"])
@pytest.mark.parametrize("by", ["segment_anything", "sam_transformers"])
def test_each_way_is_painted_by_the_model_it_names_and_nothing_else_changes(
    tmp_path: Path, weights: Path, opened: Any, preset: str, by: str
) -> None:
    step = step_for(weights, preset=preset, by=by)
    tools = opened if (preset, by) == ("paper", "segment_anything") else step.open(None)  # type: ignore[arg-type]
    [outcome], context, [pixels] = carry_out(tmp_path, step, tools)
    pairs = pairs_of(outcome)
    editor = "sdxl_inpaint" if preset == "sdxl_inpaint" else "sd_inpaint"
    assert [pair.editor for pair in pairs] == [editor, editor, "instruct_pix2pix"]
    assert [pair.made_with["model"]["pipeline"] for pair in pairs][2] == "StableDiffusionInstructPix2PixPipeline"
    assert {pair.made_with["mask"]["by"] for pair in pairs[:2]} == {by}
    for pair in pairs:
        made = context.stored[pair.manipulated]
        assert made.shape == pixels.shape
        assert (made != pixels).any()
        if pair.editable is not None:
            assert np.array_equal(made[~grid(pair.editable)], pixels[~grid(pair.editable)])
    assert [pair.editable is None for pair in pairs] == [False, False, True]


def test_the_papers_preset_runs_its_scheduler_and_guidance(opened: Any) -> None:
    made_with = opened.painters["inpaint"].made_with
    assert made_with["scheduler"] == "DDIMScheduler"
    assert made_with["call"] == {"num_inference_steps": 2, "guidance_scale": 10.0}


def test_equal_seeds_give_equal_pixels_and_another_batch_changes_rounding_only(
    tmp_path: Path, weights: Path, opened: Any
) -> None:
    step = step_for(weights, candidates=2)
    together, context, _ = carry_out(tmp_path / "a", step, opened, sizes=SIZES[:2])
    again, _, _ = carry_out(tmp_path / "b", step, opened, sizes=SIZES[:2])
    assert together == again
    alone, others = [], {}
    for record_id in [record for record, _ in context._values]:
        outcome = step.one(context._records[record_id], context)
        alone.append(outcome)
        others |= context.stored
    for one, other in zip(together, alone, strict=True):
        for first, second in zip(pairs_of(one), pairs_of(other), strict=True):
            assert first.made_with == second.made_with
            before, after = (others[pair.manipulated].astype(int) for pair in (first, second))
            assert np.abs(before - after).max() <= TOLERANCE


def test_a_run_paints_in_a_worker_and_a_second_one_paints_nothing_again(tmp_path: Path, weights: Path) -> None:
    (tmp_path / "images").mkdir()
    for number, size in enumerate(SIZES[:2]):
        noise = np.random.default_rng(number).integers(0, 256, (*size, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / "images" / f"{number}.png")
    step = step_for(weights)
    done, again = (
        run_steps([PlannedIdeas(), step], images=tmp_path / "images", workspace=tmp_path / "w", workers=1)
        for _ in range(2)
    )
    made = [pair for row in done.outcomes("manipulate") for pair in unpacked(row["pairs"])]
    assert [pair.editor for pair in made] == ["sd_inpaint", "sd_inpaint", "instruct_pix2pix"] * 2
    assert {pair.made_with["model"]["weights"] for pair in made} == {
        step.weights()[task].sha256 for task in ("inpaint", "instruct")
    }
    assert again.executed == 0


def test_candidates_of_an_idea_are_painted_from_seeds_of_their_own(tmp_path: Path, weights: Path, opened: Any) -> None:
    [outcome], _, _ = carry_out(tmp_path, step_for(weights, candidates=2), opened)
    pairs = pairs_of(outcome)
    assert [pair.candidate for pair in pairs] == [0, 1] * 3
    assert len({pair.made_with["seed"] for pair in pairs}) == len({pair.manipulated for pair in pairs}) == 6


def test_a_part_is_painted_again_from_its_record_alone(tmp_path: Path, weights: Path, opened: Any) -> None:
    [outcome], context, [natural] = carry_out(tmp_path, step_for(weights), opened)
    pair = pairs_of(outcome)[0]
    how = pair.made_with
    mask = grid(how["mask"]["runs"])
    alpha = softened(mask, grow_px=how["grow_px"], feather_px=how["feather_px"])
    window = EditWindow(*how["window_xyxy"])
    canvas = EditJob(idea("partial"), 0, how["seed"], how["prompt"], natural, window, alpha > 0, alpha, True, {})
    [painted] = opened.painters["inpaint"].paint([canvas.edit(tuple(how["painted_wh"]))])
    again = finished(canvas, painted.pixels, max_shift=0).pixels  # type: ignore[union-attr]
    assert np.abs(again.astype(int) - context.stored[pair.manipulated].astype(int)).max() <= TOLERANCE
    softer = step_for(weights, edges={"grow": 0.3, "feather": 0.1})
    [wide], _, _ = carry_out(tmp_path / "softer", softer, opened)
    assert pairs_of(wide)[0].made_with["grow_px"] >= 4 * how["grow_px"] > 0
    assert pairs_of(wide)[0].made_with["feather_px"] == pytest.approx(5 * how["feather_px"], rel=0.1)


def test_weights_are_named_by_their_digest_and_other_weights_are_another_step(tmp_path: Path, weights: Path) -> None:
    step = step_for(weights)
    said = step.parameters()
    assert said["inpaint"]["weights"].startswith("sha256:")
    make_pipeline("sd_inpaint", tmp_path / "sd_inpaint", seed=1)
    for name in ("instruct_pix2pix", "sam.pth"):
        (tmp_path / name).symlink_to(weights / name)
    assert step_for(tmp_path).weights_hash() != step.weights_hash()
    assert Manipulate.model_validate(said).weights_hash() == step.weights_hash()
    with pytest.raises(PrerequisiteError, match="known by digest only"):
        Manipulate.model_validate(said).open(None)  # type: ignore[arg-type]


def test_auto_paints_with_the_model_that_is_there_and_composes_where_none_is(tmp_path: Path, weights: Path) -> None:
    step = step_for(weights, backend="auto", inpaint={"weights": "nowhere"}, ways=["direct", "partial"])
    [outcome], _, _ = carry_out(tmp_path, step, step.open(None))  # type: ignore[arg-type]
    assert [pair.editor for pair in pairs_of(outcome)] == ["instruct_pix2pix"]
    assert outcome.evidence["left_out"] == {"B2-1": "no_donor", "B1-1": "way_left_out"}


@pytest.mark.parametrize("preset", ["flux_fill", "flux_kontext"])
def test_presets_of_flux_paint_in_the_size_that_they_are_given(tmp_path: Path, preset: str) -> None:
    found = find_weights(make_pipeline(preset, tmp_path / preset), purpose="it", fetch="", needs="model_index.json")
    painter = Diffusion(preset, found, CPU, Running(batch_size=4), steps=1)
    pixels = np.random.default_rng(1).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    mask = np.zeros((64, 96), bool)
    mask[10:40, 20:60] = True
    first, second = painter.paint([Edit(pixels, mask, "a cat", 3), Edit(pixels, mask, "a cat", 4)])
    first, second = first.pixels, second.pixels  # type: ignore[union-attr]
    assert first.shape == second.shape == pixels.shape
    assert not np.array_equal(first, second)
    assert painter.editor == preset


def test_ways_of_running_a_model_change_rounding_only(weights: Path) -> None:
    found = find_weights(weights / "sd_inpaint", purpose="it", fetch="", needs="model_index.json")
    edit = Edit(np.random.default_rng(2).integers(0, 256, (64, 64, 3), dtype=np.uint8), None, "a cat", 5)
    plain, other = (
        Diffusion("paper", found, CPU, running, steps=2).paint([edit])[0].pixels  # type: ignore[union-attr]
        for running in (Running(), Running(channels_last=True, attention="slicing"))
    )
    assert np.abs(plain.astype(int) - other.astype(int)).max() <= TOLERANCE  # type: ignore[union-attr]


class _Little:
    """A pipeline on a device whose memory holds so many pictures."""

    def __init__(self, pipeline: Any, most: int) -> None:
        self._pipeline, self._most, self.batches = pipeline, most, list[int]()

    def __call__(self, **asked: Any) -> Any:
        import torch

        self.batches.append(len(asked["prompt"]))
        if len(asked["prompt"]) > self._most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return self._pipeline(**asked)


def paint(weights: Path, most: int, count: int) -> tuple[list[Any], list[int]]:
    """Paint as many pictures as asked with memory for so many at a time; return what came, and the batches tried."""
    found = find_weights(weights / "sd_inpaint", purpose="it", fetch="", needs="model_index.json")
    painter = Diffusion("paper", found, CPU, Running(batch_size=4), steps=1)
    painter.pipeline = _Little(painter.pipeline, most)
    rng = np.random.default_rng(1)
    edits = [Edit(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8), None, "a cat", n) for n in range(count)]
    return painter.paint(edits), painter.pipeline.batches


def test_a_batch_for_which_memory_does_not_suffice_is_halved_for_good(weights: Path) -> None:
    painted, batches = paint(weights, most=2, count=6)
    assert batches == [4, 2, 2, 2]
    assert all(one.pixels.shape == (64, 64, 3) for one in painted)


def test_a_picture_that_does_not_fit_alone_is_out_of_memory(weights: Path) -> None:
    painted, _ = paint(weights, most=0, count=2)
    assert [one.reason for one in painted] == ["out_of_memory"] * 2


def test_what_the_safety_checker_of_the_weights_refuses_is_not_kept(
    tmp_path: Path, weights: Path, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = opened.painters["instruct"].pipeline

    def refusing(**asked: Any) -> Any:
        said = real(**asked)
        said.nsfw_content_detected = [True] * len(said.images)
        return said

    monkeypatch.setattr(opened.painters["instruct"], "pipeline", refusing)
    [outcome], _, _ = carry_out(tmp_path, step_for(weights), opened)
    assert outcome.evidence["left_out"] == {"E2-1:0": "unsafe"}


def test_a_folder_of_another_model_is_refused_with_what_it_should_hold(weights: Path) -> None:
    found = find_weights(weights / "sam", purpose="it", fetch="", needs="config.json")
    with pytest.raises(DataError, match="stable-diffusion-inpainting"):
        Diffusion("paper", found, CPU, Running())


def test_stand_ins_for_torchvision_are_gone_after_the_import() -> None:
    if find_spec("torchvision") is not None:
        pytest.skip("torchvision is installed and is used")
    assert not [name for name in sys.modules if name.partition(".")[0] == "torchvision"]
