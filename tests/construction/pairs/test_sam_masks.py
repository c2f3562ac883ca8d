"""Masks from SAM's real classes with tiny weights made in the test; the image encoder runs separately from the decoder.

- Masks equal those of the libraries' complete models; other batch sizes yield the same masks.
- Decisions are the same if pictures are prepared as on a GPU, in half precision. The tests run without a GPU, so its
  preparation of pixels runs on the CPU.
- A picture is embedded only once for all its boxes. Nothing is unpickled.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from picture_copies import photograph
from tiny_sam import make_checkpoint, make_folder

from benchwright.construction.item_parts.cutting_out import Hints, Mask, fault
from benchwright.construction.manipulation.manipulation_settings import Masking
from benchwright.construction.manipulation.masks.base import MaskRequest, PictureRequests
from benchwright.construction.manipulation.masks.sam_architecture import load_sam
from benchwright.construction.manipulation.masks.sam_encoder import Features, SamEncoder
from benchwright.construction.manipulation.masks.sam_import import segment_anything
from benchwright.construction.manipulation.masks.sam_package import SamPackage, package_encoder
from benchwright.construction.manipulation.masks.sam_transformers import SamOfTransformers, transformers_encoder
from benchwright.errors import DataError
from benchwright.models.batching import OutOfMemory
from benchwright.models.device_pixels import DevicePixels
from benchwright.models.devices import Device
from benchwright.models.picture_batches import PictureBatches

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when huggingface_hub is imported
for needed in ("torch", "transformers", "segment_anything"):
    if find_spec(needed) is None:  # none is imported before its tests run: it takes seconds
        pytest.skip(f"{needed} is not installed", allow_module_level=True)

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"), pytest.mark.slow]
CPU, HALF = Device("cpu", "float32"), Device("cpu", "bfloat16")
EVERYTHING = {"points_per_side": 4, "pred_iou_thresh": -9.0, "stability_score_thresh": 0.0}
KINDS = ("box", "everything", "transformers")
Work = Callable[[Sequence[np.ndarray]], Sequence[Features]]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """As in a worker."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    make_checkpoint(folder / "sam.pth")
    make_folder(folder / "sam")
    return folder


def encoder_of(weights: Path, kind: str, device: Device = CPU) -> SamEncoder:
    if kind == "transformers":
        return transformers_encoder(weights / "sam", device)
    return package_encoder(weights / "sam.pth", device)


def masker_of(weights: Path, kind: str, work: Work, *, device: Device = CPU, batch_size: int = 1) -> Any:
    encoder = PictureBatches(work, batch_size=batch_size)
    if kind == "transformers":
        return SamOfTransformers(weights / "sam", "x", device, encoder)
    settings = {"prompt": kind, "overlap": "iou", "max_area": 1.0, "settings": EVERYTHING}
    return SamPackage(weights / "sam.pth", "x", device, encoder, **settings)  # type: ignore[arg-type]


def asked_of(pixels: np.ndarray) -> PictureRequests:
    """Return requests for two objects of a picture, the first with points."""
    height, width = pixels.shape[:2]

    def at(x: float, y: float) -> tuple[float, float]:
        return x * width, y * height

    first = Hints((*at(0.1, 0.1), *at(0.6, 0.7)), [at(0.2, 0.2)], [at(0.8, 0.8)])
    return PictureRequests(pixels, [MaskRequest(first, 1), MaskRequest(Hints((*at(0.3, 0.05), *at(0.9, 0.8))), 2)])


@pytest.fixture(scope="module")
def pictures() -> list[PictureRequests]:
    """Photographs of several sizes, and noise."""
    whole = [np.asarray(photograph(name))[::3, ::3] for name in ("coffee", "chelsea", "astronaut")]
    noise = np.random.default_rng(7).integers(0, 256, (90, 121, 3), dtype=np.uint8)
    return [asked_of(pixels) for pixels in (*whole, whole[0][20:, 40:], whole[2][:-60, :-20], noise)]


def same(first: Sequence[Sequence[Mask]], second: Sequence[Sequence[Mask]]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(np.array_equal(*masks) for one, other in pairs for masks in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def found(weights: Path, pictures: list[PictureRequests]) -> dict[str, list[list[Mask]]]:
    """The masks of all pictures, embedded one at a time."""
    return {kind: masker_of(weights, kind, encoder_of(weights, kind).features).masks(pictures) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_has_a_mask_of_its_pictures_size(
    found: dict[str, list[list[Mask]]], pictures: list[PictureRequests], kind: str
) -> None:
    for masks, (pixels, requests) in zip(found[kind], pictures, strict=True):
        assert [mask.shape for mask in masks] == [pixels.shape[:2]] * len(requests)
        assert all(mask.any() for mask in masks)


def test_masks_are_those_of_the_package_itself(
    weights: Path, pictures: list[PictureRequests], found: dict[str, list[list[Mask]]]
) -> None:
    import torch

    model = load_sam(weights / "sam.pth")
    predictor = segment_anything().SamPredictor(model)
    everything = segment_anything().SamAutomaticMaskGenerator(model, **EVERYTHING)
    for (pixels, [first, second]), masks, chosen in zip(pictures, found["box"], found["everything"], strict=True):
        with torch.inference_mode():
            predictor.set_image(np.array(pixels))
            points, labels = np.array([*first.hints.inside, *first.hints.outside], np.float32), np.array([1, 0])
            own = [
                predictor.predict(points, labels, np.array(first.hints.box, np.float32), multimask_output=False)[0][0],
                predictor.predict(box=np.array(second.hints.box, np.float32), multimask_output=False)[0][0],
            ]
            segments = [segment["segmentation"] for segment in everything.generate(np.array(pixels))]
        assert same([masks], [own])
        assert all(any(np.array_equal(mask, segment) for segment in segments) for mask in chosen)


def test_masks_are_those_of_transformers_itself(
    weights: Path, pictures: list[PictureRequests], found: dict[str, list[list[Mask]]]
) -> None:
    import torch
    from transformers import SamModel, SamProcessor

    model = SamModel.from_pretrained(weights / "sam").eval()
    processor = SamProcessor.from_pretrained(weights / "sam")
    for (pixels, requests), masks in zip(pictures, found["transformers"], strict=True):
        boxes = [[list(map(float, request.hints.box)) for request in requests]]
        inputs = processor(images=np.array(pixels), input_boxes=boxes, return_tensors="pt")
        with torch.inference_mode():
            output = model(inputs["pixel_values"], input_boxes=inputs["input_boxes"].float(), multimask_output=False)
        sizes = inputs["original_sizes"], inputs["reshaped_input_sizes"]
        [own] = processor.post_process_masks(output.pred_masks, *sizes)
        assert same([masks], [[mask[0].numpy() for mask in own]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_gives_the_masks_of_single_pictures(
    weights: Path, pictures: list[PictureRequests], found: dict[str, list[list[Mask]]], kind: str
) -> None:
    encoder = encoder_of(weights, kind)
    assert same(masker_of(weights, kind, encoder.features, batch_size=4).masks(pictures), found[kind])
    seen = [picture.pixels for picture in pictures]
    together, alone = encoder.features(seen), [encoder.features([pixels])[0] for pixels in seen]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def gpus_way(encoder: SamEncoder) -> Work:
    """Return the encoder's work as on a GPU in bfloat16, with the CPU as its device."""
    import torch

    def work(pictures: Sequence[np.ndarray]) -> list[Features]:
        assert encoder.pixels is not None
        with torch.inference_mode():
            features = encoder.network(encoder.pixels.padded(pictures, encoder.side_px, "cpu"))
        return list(features.to(torch.float16).numpy())

    return work


@pytest.mark.parametrize("kind", KINDS)
def test_a_gpus_way_of_preparing_pictures_in_half_precision_leads_to_the_same_decisions(
    weights: Path, pictures: list[PictureRequests], found: dict[str, list[list[Mask]]], kind: str
) -> None:
    work = gpus_way(encoder_of(weights, kind, HALF))
    fast_masks = masker_of(weights, kind, work, device=HALF, batch_size=4).masks(pictures)
    limits = Masking(min_box_iou=0.3).checks()
    reasons = set()
    for (_, requests), fast, exact in zip(pictures, fast_masks, found[kind], strict=True):
        for request, mine, wanted in zip(requests, fast, exact, strict=True):
            assert (mine & wanted).sum() > 0.98 * (mine | wanted).sum()
            reason = fault(wanted, request.hints.box, **limits)
            assert fault(mine, request.hints.box, **limits) == reason
            reasons.add(reason)
    assert len(reasons) > 1, "a limit that no mask exceeds tests nothing"


@pytest.mark.parametrize("kind", ["box", "transformers"])
def test_half_precision_returns_features_that_lose_nothing_in_float16(
    weights: Path, pictures: list[PictureRequests], kind: str
) -> None:
    import torch

    encoder, pixels = encoder_of(weights, kind, HALF), [pictures[0].pixels]
    with torch.inference_mode():
        computed = encoder.network(encoder.prepare(pixels)).float().numpy()[0]
    [features] = encoder.features(pixels)
    assert features.dtype == np.float16
    assert np.abs(features.astype(np.float32) - computed).max() <= 2.0**-11 * np.abs(computed).max()
    exact, fast = (masker_of(weights, kind, work, device=HALF) for work in (lambda _: [computed], encoder.features))
    assert same(exact.masks(pictures[:1]), fast.masks(pictures[:1]))
    assert encoder_of(weights, kind).features(pixels)[0].dtype == np.float32


@pytest.mark.parametrize("kind", ["box", "transformers"])
def test_pictures_are_prepared_on_a_device_as_by_the_library(
    weights: Path, pictures: list[PictureRequests], kind: str
) -> None:
    encoder = encoder_of(weights, kind)
    assert encoder.pixels is not None
    seen = [picture.pixels for picture in pictures]
    by_library, on_device = encoder.prepare(seen).numpy(), encoder.pixels.padded(seen, encoder.side_px, "cpu").numpy()
    assert on_device.shape == (len(seen), 3, encoder.side_px, encoder.side_px)
    assert np.abs(on_device - by_library).mean() * 58 < 0.2, "levels of 255; 58 is the standard deviation"
    assert ((on_device == 0) == (by_library == 0)).mean() > 0.999, "the same space is filled with zeros"


@pytest.mark.parametrize(
    "settings", [{"do_pad": False}, {"do_center_crop": True}, {"size": {"height": 64, "width": 64}}], ids=str
)
def test_a_processor_that_does_not_pad_one_longer_side_prepares_pictures_itself(
    weights: Path, settings: dict[str, Any]
) -> None:
    from transformers import SamImageProcessorPil

    processor = SamImageProcessorPil.from_pretrained(weights / "sam")
    assert DevicePixels.of_processor(processor, to_longest_edge=True) is not None
    assert DevicePixels.of_processor(processor) is None
    for name, value in settings.items():
        setattr(processor, name, value)
    assert DevicePixels.of_processor(processor, to_longest_edge=True) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_embedded_once_for_all_its_boxes(
    weights: Path, pictures: list[PictureRequests], kind: str
) -> None:
    encoder, seen = encoder_of(weights, kind), []

    def counting(pixels: Sequence[np.ndarray]) -> list[Features]:
        seen.append(len(pixels))
        return encoder.features(pixels)

    picture = pictures[-1]._replace(requests=[*pictures[-1].requests] * 2)
    masker_of(weights, kind, counting, batch_size=4).masks([picture, pictures[0]])
    assert seen == [2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_decoder_holds_no_layer_of_the_encoder(weights: Path, kind: str) -> None:
    masker = masker_of(weights, kind, lambda _: [])
    model = masker._model.vision_encoder.layers if kind == "transformers" else masker._predictor.model.image_encoder
    assert not list(model.parameters())


def test_a_picture_for_which_memory_does_not_suffice_is_an_error_of_its_own(
    weights: Path, pictures: list[PictureRequests]
) -> None:
    import torch

    def full(_: Sequence[np.ndarray]) -> list[Features]:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(OutOfMemory):
        masker_of(weights, "box", full, batch_size=4).masks(pictures)


def test_a_checkpoint_that_holds_more_than_tensors_is_refused_without_running_it(tmp_path: Path) -> None:
    import torch

    class Trap:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "sprung",)

    torch.save({"weights": Trap()}, tmp_path / "sam.pth")
    with pytest.raises(DataError, match=r"sam\.pth is no checkpoint of segment_anything"):
        load_sam(tmp_path / "sam.pth")
    (tmp_path / "bare.pth").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match=r"bare\.pth is no checkpoint"):
        load_sam(tmp_path / "bare.pth")
    assert not (tmp_path / "sprung").exists()
