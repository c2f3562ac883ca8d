"""The addition of a small convolutional network to the adversary: planted cues that only the network finds.

    .venv/bin/python benchmarks/convolutional_probe.py [--group "marks in options"] [--strength medium] [--items 120]

trains, for each set of `planted_cue_sets`, a network on the pixels, on their difference from the median around each
pixel, and on the mean spectrum of the pictures, under cross-validation of four folds by source picture. It finds a cue
if right options score higher by as many deviations under uniform keys as a probe of the adversary needs after
correction (one-sided p below 0.0017). If it does, the battery examines the same set. The program prints a JSON
document: for each set the deviations, the CPU seconds, and the cues that the battery carries. It needs PyTorch, from
the extra `vision`.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

import cv2
import numpy as np
import torch
from composites import photographs
from measuring import show
from numpy.typing import NDArray
from PIL import Image
from planted_cue_kinds import KINDS
from planted_cue_sets import STRENGTHS, CueKind, Pixels, made_set
from planted_cues import carried_by_battery

from benchwright.cli.demo import prepare_photographs
from benchwright.source_files.item_files import SourceItem

GROUPS = ("marks in options", "marks in the question")
NEEDED = 2.94
"""Deviations from uniform keys that a probe needs: p of 0.05 / 2 / 15 probes."""
FOLDS, BATCH, WIDTH, HEIGHT, WINDOW = 4, 16, 80, 60, 32

Floats = NDArray[np.float32]


def main() -> None:
    """Measure and print one document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=GROUPS, nargs="*", default=list(GROUPS))
    parser.add_argument("--strength", choices=list(STRENGTHS), nargs="*", default=["medium"])
    parser.add_argument("--kind", nargs="*", help="names of kinds; all of the groups without")
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=12)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)
    prepare_photographs(folder := Path(mkdtemp()))
    photos = photographs(folder)
    sets = []
    for kind in KINDS:
        if kind.group not in options.group or (options.kind and kind.name not in options.kind):
            continue
        for strength in options.strength:
            found = _of_set(kind, strength, photos, options)
            print(found, file=sys.stderr, flush=True)
            sets.append(found)
    show({"items": options.items, "epochs": options.epochs, "sets": sets})


def _of_set(kind: CueKind, strength: str, photos: Sequence[Pixels], options: argparse.Namespace) -> dict[str, object]:
    items = made_set(kind, photos, items=options.items, strength=STRENGTHS[strength], seed=options.seed)
    started = time.process_time()
    deviations = probed(items, seed=options.seed, epochs=options.epochs)
    spent = time.process_time() - started
    is_found = deviations >= NEEDED
    return {
        "kind": kind.name, "strength": strength, "deviations": round(deviations, 2), "cpu_s": round(spent, 1),
        "found": is_found, "battery": list(carried_by_battery(items)) if is_found else None,
    }  # fmt: skip


def probed(items: Sequence[SourceItem], *, seed: int, epochs: int) -> float:
    """Return by how many deviations under uniform keys right options score higher, held out.

    Args:
        items: Items of one number of options each.
        seed: Seed of the network.
        epochs: Rounds of training.
    """
    right = np.array([[choice.key for choice in each.item.choices].index(str(each.item.answer)) for each in items])
    count = len(items[0].item.choices)
    of_options = items[0].item.choices[0].image_id is not None
    pictures = [
        [str(choice.image_id) for choice in each.item.choices] if of_options else [each.item.images[0].image_id]
        for each in items
    ]
    inputs = [[_input(each.files[name]) for name in names] for each, names in zip(items, pictures, strict=True)]
    maps = torch.from_numpy(np.array([[seen for seen, _ in row] for row in inputs]))
    spectra = np.array([[spectrum for _, spectrum in row] for row in inputs])
    spectra = (spectra - spectra.mean((0, 1))) / (spectra.std((0, 1)) + 1e-6)
    scores = np.zeros((len(items), count), np.float32)
    folds = np.arange(len(items)) % FOLDS  # each item has its own source pictures
    for fold in range(FOLDS):
        scores[folds == fold] = _trained(
            maps, torch.from_numpy(spectra), right, folds != fold, outputs=1 if of_options else count,
            seed=seed, epochs=epochs,
        )  # fmt: skip
    scores -= scores.mean(axis=1, keepdims=True)
    margin = scores[np.arange(len(items)), right].sum()
    return float(margin / np.sqrt((scores**2).mean(axis=1).sum() + 1e-12))


def _input(data: bytes) -> tuple[Floats, Floats]:
    """Return a picture scaled down, with its extreme differences from the median around, and its mean spectrum."""
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    rest = cv2.subtract(pixels, cv2.medianBlur(pixels, 5), dtype=cv2.CV_16S)
    step = max(1, pixels.shape[1] // WIDTH), max(1, pixels.shape[0] // HEIGHT)
    kernel = np.ones(step[::-1], np.uint8)
    parts = [
        cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA) / 64.0 - 2,
        *(cv2.resize(each(rest, kernel), (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST) / 32.0
          for each in (cv2.dilate, cv2.erode)),
    ]  # fmt: skip
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    high, wide = (side // WINDOW for side in grey.shape)
    tiles = grey[: high * WINDOW, : wide * WINDOW].reshape(high, WINDOW, wide, WINDOW).transpose(0, 2, 1, 3)
    window = np.hanning(WINDOW)
    power = np.abs(np.fft.rfft2((tiles - tiles.mean((2, 3), keepdims=True)) * np.outer(window, window)))
    spectrum = np.log1p(power).mean(axis=(0, 1))
    return np.concatenate(parts, axis=2).transpose(2, 0, 1).astype(np.float32), spectrum.ravel().astype(np.float32)


class _Network(torch.nn.Module):
    """Two layers of convolutions alongside the spectrum; largest and mean answers give the scores.

    Args:
        spectrum: Number of values of a spectrum.
        outputs: Number of scores of a picture.
    """

    def __init__(self, spectrum: int, outputs: int) -> None:
        super().__init__()
        self.convolutions = torch.nn.Sequential(
            torch.nn.Conv2d(9, 12, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(12, 24, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        )  # fmt: skip
        self.places = torch.nn.AdaptiveAvgPool2d(4)
        self.spectrum = torch.nn.Linear(spectrum, 8)
        self.head = torch.nn.Linear(24 * 2 + 24 * 16 + 8, outputs)

    def forward(self, maps: torch.Tensor, spectra: torch.Tensor) -> torch.Tensor:
        """Return the scores of pictures, shape (items, options or outputs)."""
        items = len(maps)
        seen = self.convolutions(maps.flatten(0, 1))
        parts = [
            seen.amax((2, 3)),
            seen.mean((2, 3)),
            self.places(seen).flatten(1),
            self.spectrum(spectra.flatten(0, 1)),
        ]
        return self.head(torch.cat(parts, 1)).view(items, -1)


def _trained(
    maps: torch.Tensor, spectra: torch.Tensor, right: NDArray[np.int64], is_train: NDArray[np.bool_], *,
    outputs: int, seed: int, epochs: int,
) -> Floats:  # fmt: skip
    """Return the scores that a network trained on some items gives the others."""
    torch.manual_seed(seed)
    network = _Network(spectra.shape[2], outputs)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=1e-2)
    rng, keys = np.random.default_rng(seed), torch.from_numpy(right)
    for _ in range(epochs):
        order = rng.permutation(np.flatnonzero(is_train))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            loss = torch.nn.functional.cross_entropy(network(maps[batch], spectra[batch]), keys[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return np.asarray(network(maps[~is_train], spectra[~is_train]).numpy(), np.float32)


if __name__ == "__main__":
    main()
