"""Steps whose model is shared by all workers: the same tables, and the same decisions if pictures are prepared as on a
GPU.

The tests run without a GPU: a card's process sees none and computes on the CPU, where bytes can be compared, and a
GPU's preparation of pixels also runs on the CPU.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing.connection import Listener
from multiprocessing.process import current_process
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from color_classifier import color_classifier
from picture_copies import photograph
from PIL import Image
from planned_ideas import PlannedIdeas
from tiny_clip import color_clip
from tiny_depth_anything import make_depth_anything
from tiny_dinov2 import make_dinov2
from tiny_sam import make_checkpoint
from walks import tree_digest

from benchwright.canonical import file_digest
from benchwright.construction.estimated.estimated_depth import _DepthEstimator
from benchwright.construction.item_parts.cutting_out import Hints
from benchwright.construction.manipulation.manipulate import Manipulate
from benchwright.construction.manipulation.manipulated import unpacked
from benchwright.construction.manipulation.manipulation_settings import Hardware
from benchwright.construction.manipulation.masks.base import MaskRequest, PictureRequests
from benchwright.diagnostics.models.image_classifier import load_classifier
from benchwright.engines.card_process import CardServer
from benchwright.engines.cards import CPU
from benchwright.images.formats.walking import Limits
from benchwright.models.device_pixels import DevicePixels
from benchwright.models.picture_batches import PictureBatches, SharedPictures
from benchwright.models.picture_vectors import Preprocessing, Vectors, embed
from benchwright.pipeline import run_recipe, run_steps
from benchwright.pipeline.planning.plan import phases, plan
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.recipe import Recipe, step
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch")
PHOTOGRAPHS = ("coffee", "rocket", "chelsea", "astronaut")
Maker = Callable[[Path], object]


class Sam(NamedTuple):
    """Steps of which the second cuts out by SAM, and a folder of photographs for them."""

    steps: list[Any]
    photos: Path


class Models(NamedTuple):
    """A folder with tiny models of four kinds."""

    folder: Path

    def at(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    models = Models(tmp_path_factory.mktemp("models"))
    makers: dict[str, Maker] = {
        "clip": color_clip,
        "classifier": color_classifier,
        "depth": make_depth_anything,
        "dinov2": make_dinov2,
    }
    for name, make in makers.items():
        make(models.at(name))
    return models


def reduced(pixels: np.ndarray, at_least_px: int) -> np.ndarray:
    """Return what a card gets of a photograph that is stored as JPEG."""
    stored = io.BytesIO()
    Image.fromarray(pixels).save(stored, "JPEG", quality=92)
    image = Image.open(stored)
    image.draft("RGB", (at_least_px, at_least_px))
    return np.asarray(image.convert("RGB"))


def stored(pixels: np.ndarray) -> np.ndarray:
    return reduced(pixels, max(pixels.shape))


@pytest.fixture(scope="module")
def pictures() -> list[np.ndarray]:
    """Photographs and parts of them, of several sizes."""
    whole = [np.asarray(photograph(name)) for name in PHOTOGRAPHS]
    return [part for pixels in whole for part in (pixels, pixels[20:, 40:], pixels[:-90, :-60])]


@pytest.mark.workers
def test_tables_are_those_of_models_that_every_worker_opens_for_itself(
    models: Models, pictures: list[np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "photos").mkdir()
    for number, pixels in enumerate(pictures):
        Image.fromarray(pixels).resize((90 + number % 3, 70)).save(tmp_path / "photos" / f"{number}.png")
    (tmp_path / "photos" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    steps = [
        step("near_duplicates", embeddings="clip", cosine=0.9),
        step("safety", model="classifier", refuse={"red": 0.5}),
        step("estimated_depth", weights="depth"),
        step("similar_pictures", weights="dinov2", least=-0.9, margin=0.001),
    ]
    recipe = Recipe("shared", steps, seed=3, folder=models.folder)

    def run(name: str, workers: int) -> str:
        run_recipe(recipe, images=tmp_path / "photos", workspace=tmp_path / name, workers=workers)
        return str(tree_digest(tmp_path / name))

    alone = run("alone", 1)
    monkeypatch.setattr("benchwright.engines.local.visible_gpus", lambda: [CPU])
    assert run("shared", 3) == alone
    assert list((tmp_path / "shared").rglob("card-1.log")), "the card has held the models"
    assert not list((tmp_path / "alone").rglob("card-*.log"))


@pytest.fixture
def sam(tmp_path: Path) -> Sam:
    """The step `manipulate` with SAM, ideas for it, and a folder of photographs, one of which lends pixels."""
    if find_spec("segment_anything") is None:  # an import would want torchvision, which SAM here does without
        pytest.skip("segment_anything is not installed")
    (tmp_path / "photos").mkdir()
    for name in PHOTOGRAPHS:
        photograph(name).resize((96, 72)).save(tmp_path / "photos" / f"{name}.png")
    masks = {"by": "segment_anything", "weights": make_checkpoint(tmp_path / "sam.pth").name, "min_box_iou": 0,
             "max_area": 0.99, "max_tear": 1}  # fmt: skip
    step_ = Manipulate.model_validate({"masks": masks, "max_enlargement": 9}, context={"folder": tmp_path})
    return Sam([PlannedIdeas(donor=file_digest(tmp_path / "photos" / "coffee.png")), step_], tmp_path / "photos")


@pytest.mark.workers
def test_pairs_cut_out_by_a_sam_that_workers_share_are_those_of_a_sam_in_each(
    sam: Sam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run_steps(sam.steps, images=sam.photos, workspace=tmp_path / "alone", workers=1)
    monkeypatch.setattr("benchwright.engines.local.visible_gpus", lambda: [CPU])
    run_steps(sam.steps, images=sam.photos, workspace=tmp_path / "shared", workers=2)
    assert tree_digest(tmp_path / "shared") == tree_digest(tmp_path / "alone")
    assert list((tmp_path / "shared").rglob("card-1.log")), "the card has held the encoder"
    made = [pair for row in alone.outcomes("manipulate") for pair in unpacked(row["pairs"])]
    cut = [pair.made_with["mask"]["by"] for pair in made if "mask" in pair.made_with]
    assert set(cut) == {"segment_anything"}
    assert len(cut) > len(PHOTOGRAPHS)


def test_the_encoder_is_with_the_card_and_the_decoder_with_the_worker(sam: Sam, tmp_path: Path) -> None:
    [_, stage] = plan([("ideas", sam.steps[0]), ("manipulate", sam.steps[1])])
    host = WorkerContext(Workspace.create(tmp_path / "w"), sam.photos, [stage], 0, 1, Limits())
    address = str(tmp_path / "card")
    with Listener(address, authkey=bytes(current_process().authkey)) as listener:
        threading.Thread(target=CardServer(host).accept, args=(listener,), daemon=True).start()
        tools = replace(host, card=address, _opened={}).opened(stage)
    asked = [
        PictureRequests(np.asarray(photograph(name)), [MaskRequest(Hints((20, 20, 90, 70)), 1)]) for name in PHOTOGRAPHS
    ]
    own = stage.open(host).masker.masks(asked)
    for shared, wanted in zip(tools.masker.masks(asked), own, strict=True):
        np.testing.assert_array_equal(shared, wanted)
    assert isinstance(tools.masker._encoder, SharedPictures)
    assert isinstance(host.shared_model("manipulate"), PictureBatches)


@pytest.mark.parametrize(
    ("settings", "own_mb", "shared_mb"),
    [
        ({}, 2_000, 22_000),
        ({"prompt": "everything"}, 6_000, 22_000),
        ({"device": "cuda:0"}, 10_000, 0),
        ({"device": "cpu"}, 0, 0),
    ],
    ids=str,
)
def test_memory_of_the_encoder_is_shared_unless_settings_name_its_device(
    sam: Sam, settings: dict[str, Any], own_mb: int, shared_mb: int
) -> None:
    planned, cut = sam.steps
    masks = cut.masks.model_copy(update={name: settings[name] for name in settings if name == "prompt"})
    cut = cut.model_copy(update={"masks": masks, "hardware": Hardware(device=settings.get("device"))})
    [phase] = phases(plan([("ideas", planned), ("manipulate", cut)]))
    assert (phase.needs.gpu_memory_mb, phase.needs.shared_gpu_memory_mb) == (own_mb, shared_mb)
    assert phase.stages[1].shares_model == bool(shared_mb)


def test_a_picture_is_computed_alike_whatever_comes_with_it(models: Models, pictures: list[np.ndarray]) -> None:
    from transformers import AutoModel

    model = AutoModel.from_pretrained(models.at("dinov2")).eval()
    inputs = Preprocessing.of(models.at("dinov2"))._replace(side_px=56).batch(pictures[:8], "cpu")
    vectors = embed(model, inputs)
    order = [5, 2, 7, 7, 0, 1, 7, 7]
    np.testing.assert_array_equal(embed(model, inputs[order]), vectors[order])


def near_pairs(vectors: Vectors, cosine: float) -> set[tuple[int, int]]:
    return set(zip(*np.nonzero(np.triu(vectors @ vectors.T, 1) >= cosine), strict=True))


def test_vectors_of_reduced_pictures_in_bfloat16_find_the_same_pairs(pictures: list[np.ndarray]) -> None:
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

    torch.manual_seed(0)
    config = CLIPVisionConfig(
        hidden_size=192, intermediate_size=768, num_hidden_layers=6, num_attention_heads=3, image_size=112,
        patch_size=16, projection_dim=128,
    )  # fmt: skip
    model = CLIPVisionModelWithProjection(config).eval()
    prepare = Preprocessing(112, (0.48, 0.46, 0.41), (0.27, 0.26, 0.28))
    exact = embed(model, prepare.batch([stored(pixels) for pixels in pictures], "cpu"))
    fewer = [reduced(pixels, prepare.least_px) for pixels in pictures]
    assert any(some.shape != pixels.shape for some, pixels in zip(fewer, pictures, strict=True))
    inputs = DevicePixels(prepare.mean, prepare.std).batch(fewer, (112, 112), "cpu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        fast = embed(model, inputs)
    cosines = np.sort((exact @ exact.T)[np.triu_indices(len(exact), 1)])
    assert np.abs(exact @ exact.T - fast @ fast.T).max() < 0.002
    widest = int(np.diff(cosines[len(cosines) // 4 :]).argmax()) + len(cosines) // 4
    threshold = float(cosines[widest : widest + 2].mean())
    assert len(near_pairs(exact, threshold)) > 3
    assert near_pairs(fast, threshold) == near_pairs(exact, threshold)


def test_depth_of_reduced_pictures_in_bfloat16_orders_points_alike(models: Models, pictures: list[np.ndarray]) -> None:
    exact = _DepthEstimator.load(models.at("depth"), "cpu")
    fast = _DepthEstimator(exact._opened, resizes=True)
    assert fast.least_px is not None
    for pixels in pictures[::3]:
        wanted = exact.depths([stored(pixels)])[0]
        few = reduced(pixels, fast.least_px)
        assert few.shape != pixels.shape
        with torch.autocast("cpu", dtype=torch.bfloat16):
            computed = fast.depths([few])[0]
        assert computed.shape == wanted.shape == (*fast.key(few),)
        some = np.random.default_rng(1).permutation(wanted.size)[:400]
        differences = np.subtract.outer(wanted.flat[some], wanted.flat[some])
        is_clear = differences >= 0.2 * (wanted.max() - wanted.min())  # the least margin of a pair
        assert is_clear.sum() > 100
        assert (np.subtract.outer(computed.flat[some], computed.flat[some])[is_clear] > 0).all()


def test_a_classifier_gives_reduced_pictures_the_same_probabilities(models: Models, pictures: list[np.ndarray]) -> None:
    classifier = load_classifier(models.at("classifier"), labels=["red"], device="cpu")
    assert classifier.pixels is not None
    assert classifier.least_px == 32
    exact = classifier.probabilities([stored(pixels) for pixels in pictures])
    inputs = classifier.pixels.batch([reduced(pixels, 32) for pixels in pictures], (16, 16), "cpu")
    with torch.inference_mode():
        fast = classifier.model(pixel_values=inputs).logits.softmax(-1).numpy()
    assert np.abs(fast - exact).max() < 0.005
    assert len(np.unique(exact.argmax(1))) > 1


@pytest.mark.parametrize(
    "settings",
    [{"do_center_crop": True}, {"resample": 0}, {"size": {"shortest_edge": 9}}, {"do_rescale": False}],
    ids=str,
)
def test_a_processor_that_does_more_prepares_pictures_itself(settings: dict[str, Any]) -> None:
    from transformers import ViTImageProcessor

    processor = ViTImageProcessor(size={"height": 16, "width": 16})
    assert DevicePixels.of_processor(processor) == DevicePixels((0.5,) * 3, (0.5,) * 3, "bilinear")
    for name, value in settings.items():
        setattr(processor, name, value)
    assert DevicePixels.of_processor(processor) is None


def test_pixels_resized_on_a_device_are_pillows(pictures: list[np.ndarray]) -> None:
    prepare = Preprocessing(112, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    by_pillow = prepare.batch(pictures, "cpu").numpy()
    on_device = DevicePixels(prepare.mean, prepare.std).batch(pictures, (112, 112), "cpu").numpy()
    assert np.abs(on_device - by_pillow).mean() * 255 < 0.2
