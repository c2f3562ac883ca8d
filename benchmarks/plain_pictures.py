"""The risk of plain backgrounds: posters of one template, logos, retyped captions, views of one scene.

Two sets are made by the same rules but have nothing in common: they differ in templates, fonts, languages, photographs
and words. Settings were chosen on `first`; `held_back` measures them.

| family | pairs | wanted |
|---|---|---|
| posters | one template, other words | both stay |
| poster copies | a poster under each of the 15 changes of `picture_changes` | found |
| logos | unrelated marks on plain ground | neither dropped nor asked about |
| logo copies | a logo under each of them | found |
| captions | one photograph under another caption, or the same in another font | found |
| scenes | two views with parallax, and scikit-image's stereo pair | a common group or a question, never dropped |

    .venv/bin/python benchmarks/plain_pictures.py --images ../shared/data/ii_bench/images --set held_back
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import cv2
import matplotlib
import numpy as np
from measuring import benchwright, show
from picture_changes import CHANGES
from PIL import Image, ImageDraw, ImageFont

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
Colour = tuple[int, int, int]
Template = Callable[[ImageDraw.ImageDraw, int, int, random.Random], tuple[float, float, float]]


class Words(NamedTuple):
    """The words on the pictures of a set, and their fonts."""

    fonts: tuple[str | None, ...]
    headlines: tuple[str, ...]
    lines: tuple[str, ...]
    captions: tuple[str, ...]
    photographs: tuple[str, ...]
    """Stems of II-Bench, or functions of scikit-image's data."""


SETS: dict[str, Words] = {
    "first": Words(
        fonts=(None, "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
        headlines=("SUMMER SALE", "NEW OPENING", "JAZZ NIGHT", "FREE LUNCH", "LOST DOG", "BOOK FAIR"),
        lines=("every day from nine", "bring your friends", "ask at the desk", "only this week", "doors open at 8"),
        captions=(
            "When Monday comes too early", "Nobody told the cat about this", "Me after one cup of coffee",
            "How it started and how it went", "The meeting could have been a mail",
        ),
        photographs=("astronaut", "chelsea", "coffee", "rocket", "dev-3", "dev-6", "dev-12", "dev-20", "dev-28"),
    ),
    "held_back": Words(
        fonts=("DejaVuSerif.ttf", "STIXGeneralBol.ttf", "DejaVuSansMono.ttf", "cmss10.ttf"),
        headlines=("Große Freiheit", "ÉTÉ INDIEN", "ЧИСТЫЙ ГОРОД", "ΚΑΛΗΜΕΡΑ", "Nie wieder", "Deux roues", "СТОП"),
        lines=("heute um acht im Hof", "entrée libre pour tous", "приходите завтра", "ohne Anmeldung", "sur la place"),
        captions=(
            "Wenn der Wecker zweimal klingelt", "Personne ne m'avait prévenu", "Когда кончился кофе",
            "So hatte ich mir das nicht gedacht", "Encore un lundi comme les autres",
        ),
        photographs=(
            "camera", "immunohistochemistry", "sample-0", "sample-1", "test-9", "test-45", "test-87", "test-199",
            "test-364", "test-556", "test-682", "test-808", "test-1095", "test-1205",
        ),
    ),
}  # fmt: skip


def font_of(words: Words, rng: random.Random, size: float) -> Any:
    name = rng.choice(words.fonts)
    return ImageFont.load_default(size=size) if name is None else ImageFont.truetype(str(FONTS / name), round(size))


def _banded(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    draw.rectangle((0, 0, width, height * 0.14), fill=_colour(rng, 40, 140))
    draw.rectangle((0, height * 0.9, width, height), fill=_colour(rng, 40, 140))
    return 0.4, 0.6, 0.11


def _framed(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    draw.rectangle((width * 0.05, height * 0.05, width * 0.95, height * 0.95), outline=_colour(rng, 0, 90), width=5)
    draw.ellipse((width * 0.42, height * 0.72, width * 0.58, height * 0.84), fill=_colour(rng, 30, 150))
    return 0.3, 0.5, 0.1


def _starred(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    ink = _colour(rng, 30, 160)
    for n in range(9):
        x, y = width * (n + 0.5) / 9, height * (0.06 if n % 2 else 0.1)
        draw.regular_polygon((x, y, width * 0.03), 5, rotation=n * 7, fill=ink)
        draw.regular_polygon((x, height - y, width * 0.03), 3, rotation=n * 11, fill=ink)
    return 0.4, 0.62, 0.09


def _split(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    draw.polygon([(0, height), (width, height), (width, height * 0.55), (0, height * 0.8)], fill=_colour(rng, 60, 170))
    draw.line([(width * 0.1, height * 0.1), (width * 0.9, height * 0.1)], fill=_colour(rng, 0, 80), width=4)
    return 0.25, 0.42, 0.1


def _ticket(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    ink = _colour(rng, 0, 100)
    draw.rounded_rectangle((width * 0.08, height * 0.2, width * 0.92, height * 0.8), 30, outline=ink, width=6)
    for n in range(12):
        draw.line([(width * 0.75, height * (0.22 + n * 0.05)), (width * 0.75, height * (0.24 + n * 0.05))], ink, 4)
    draw.ellipse((width * 0.02, height * 0.45, width * 0.12, height * 0.55), fill=ink)
    return 0.38, 0.55, 0.08


def _ribboned(draw: ImageDraw.ImageDraw, width: int, height: int, rng: random.Random) -> tuple[float, float, float]:
    ink = _colour(rng, 50, 150)
    for n in range(5):
        draw.arc((width * 0.6 + n * 22, -80 + n * 18, width * 1.2, height * 0.3 + n * 18), 90, 180, fill=ink, width=6)
    draw.polygon([(0, 0), (width * 0.2, 0), (0, height * 0.15)], fill=ink)
    draw.rectangle((width * 0.1, height * 0.86, width * 0.5, height * 0.88), fill=ink)
    return 0.45, 0.66, 0.1


TEMPLATES: dict[str, tuple[Template, ...]] = {
    "first": (_banded, _framed, _starred),
    "held_back": (_split, _ticket, _ribboned),
}


def _colour(rng: random.Random, low: int, high: int) -> Colour:
    return rng.randint(low, high), rng.randint(low, high), rng.randint(low, high)


def posters(name: str) -> Iterator[tuple[str, Image.Image]]:
    """Yield four posters of each of eight templates: the same ground, colors and font, other words."""
    words = SETS[name]
    for number in range(8):
        template = TEMPLATES[name][number % 3]
        place = random.Random(f"{name} place {number}")
        width, height = place.choice(((600, 840), (900, 640), (720, 720), (540, 960)))
        ground = _colour(place, 200, 255)
        ink = _colour(place, 0, 90)
        seed = f"{name} font {number}"
        for copy in range(4):
            image = Image.new("RGB", (width, height), ground)
            draw = ImageDraw.Draw(image)
            top, below, size = template(draw, width, height, random.Random(f"{name} colours {number}"))
            size *= 1.0 if number < 4 else 0.5
            headline = words.headlines[(number + copy) % len(words.headlines)]
            font = font_of(words, random.Random(seed), min(height * size, width * 1.5 / len(headline)))
            draw.text((width / 2, height * top), headline, ink, font, anchor="mm")
            small = font_of(words, random.Random(seed), min(height * size * 0.5, width / 16))
            draw.text(
                (width / 2, height * below),
                words.lines[(2 * number + copy) % len(words.lines)],
                ink,
                small,
                anchor="mm",
            )
            yield f"poster-{number}-{copy}", image


def logos(name: str) -> Iterator[tuple[str, Image.Image]]:
    """Yield unrelated marks, small on plain ground of one color and size."""
    words = SETS[name]
    side = (480, 480) if name == "first" else (640, 420)
    ground = (255, 255, 255) if name == "first" else (246, 244, 238)
    for number in range(14):
        rng = random.Random(f"{name} logo {number}")
        image = Image.new("RGB", side, ground)
        draw = ImageDraw.Draw(image)
        x, y = side[0] / 2, side[1] / 2
        reach = min(side) * rng.uniform(0.08, 0.24)
        ink = _colour(rng, 0, 160)
        kind = (number * 5 + len(name)) % 7
        if kind == 0:
            draw.regular_polygon((x, y, reach), rng.choice((3, 5, 6)), rotation=rng.randint(0, 60), fill=ink)
        elif kind == 1:
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), outline=ink, width=max(4, round(reach / 4)))
            draw.line(
                (x - reach, y + reach * rng.uniform(-1, 1), x + reach, y - reach / 2), ink, max(4, round(reach / 5))
            )
        elif kind == 2:
            for n in range(3):
                left = x + (n - 1.5) * reach * 0.7
                draw.rectangle((left, y - reach * rng.uniform(-0.6, 1), left + reach * 0.5, y + reach), fill=ink)
        elif kind == 3:
            draw.pieslice(
                (x - reach, y - reach, x + reach, y + reach), rng.randint(0, 90), rng.randint(180, 300), fill=ink
            )
        elif kind == 4:
            draw.rounded_rectangle((x - reach, y - reach * 0.7, x + reach, y + reach * 0.7), reach / 3, fill=ink)
            draw.text((x, y), rng.choice(words.headlines)[:2], ground, font_of(words, rng, reach * 0.9), anchor="mm")
        elif kind == 5:
            draw.text(
                (x, y), rng.choice(words.headlines).split()[0], ink, font_of(words, rng, reach * 0.8), anchor="mm"
            )
        else:
            points = [
                (x + reach * rng.uniform(0.4, 1) * np.cos(turn), y + reach * rng.uniform(0.4, 1) * np.sin(turn))
                for turn in np.linspace(0, 6.28, 9)[:-1]
            ]
            draw.polygon(points, fill=ink)
        yield f"logo-{number:02}", image


def photographs(name: str, folder: Path) -> Iterator[tuple[str, Image.Image]]:
    from skimage import data
    from sklearn.datasets import load_sample_images

    files = {path.stem: path for path in sorted(folder.rglob("*")) if path.is_file()}
    for photograph in SETS[name].photographs:
        if photograph in files:
            image = Image.open(files[photograph]).convert("RGB")
        elif photograph.startswith("sample-"):
            image = Image.fromarray(load_sample_images().images[int(photograph[-1])])
        elif "-" in photograph:
            continue
        else:
            image = Image.fromarray(np.ascontiguousarray(getattr(data, photograph)())).convert("RGB")
        image.thumbnail((800, 800))
        yield photograph, image


def captions(name: str, folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield each photograph three times: under a caption, under another, and under the first in another font."""
    words = SETS[name]
    for number, (photograph, image) in enumerate(photographs(name, folder)):
        rng = random.Random(f"{name} caption {number}")
        lines = 1 + number % 3
        strip, below = round(image.height * rng.uniform(0.12, 0.22) * lines), rng.random() < 0.5
        ground, ink = rng.choice(((255, 0), (0, 255)))
        for copy in range(3):
            out = Image.new("RGB", (image.width, image.height + strip), (ground,) * 3)
            out.paste(image, (0, 0 if below else strip))
            said = [words.captions[(number + copy % 2 + 2 * line) % len(words.captions)] for line in range(lines)]
            size = min(strip * (0.45 + 0.2 * (number % 2)) / lines, image.width * 1.9 / max(map(len, said)))
            font = font_of(words, random.Random(f"{name} {number} {copy // 2}"), size)
            ImageDraw.Draw(out).text(
                (out.width / 2, strip / 2 + (image.height if below else 0)),
                "\n".join(said),
                (ink,) * 3,
                font,
                anchor="mm",
            )
            yield f"caption-{photograph}-{copy}", out


def scenes(name: str, folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield photographs seen from two places, each part shifted by an invented depth; and a real stereo pair."""
    for number, (photograph, image) in enumerate(photographs(name, folder)):
        rng = random.Random(f"{name} scene {number}")
        pixels = np.asarray(image)
        height, width = pixels.shape[:2]
        down, across = np.mgrid[:height, :width].astype(np.float32)
        depth = np.full((height, width), rng.uniform(0, 0.02), np.float32)
        depth += rng.uniform(0.01, 0.04) * down / height
        for _ in range(4):
            x, y, reach = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.12, 0.3) * min(width, height)
            depth += rng.uniform(0.02, 0.06) / (
                1 + np.exp(np.clip((np.hypot(across - x, down - y) - reach) / 6, -50, 50))
            )
        moved = cv2.remap(pixels, across + depth * width, down + depth * height * 0.1, cv2.INTER_LINEAR)
        inner = slice(0, height), slice(0, width - round(0.1 * width))
        yield f"scene-{photograph}-0", Image.fromarray(np.ascontiguousarray(pixels[inner]))
        yield f"scene-{photograph}-1", Image.fromarray(np.ascontiguousarray(moved[inner]))
    if name == "first":
        from skimage.data import stereo_motorcycle

        for number, view in enumerate(stereo_motorcycle()[:2]):
            yield f"scene-motorcycle-{number}", Image.fromarray(view)


def write(name: str, images: Path, folder: Path) -> None:
    """Write all pictures of a set, one folder a family."""
    for family, made in (
        ("posters", posters(name)), ("logos", logos(name)),
        ("captions", captions(name, images)), ("scenes", scenes(name, images)),
    ):  # fmt: skip
        (folder / family).mkdir(parents=True)
        for stem, image in made:
            image.save(folder / family / f"{stem}.png")
            if family in ("posters", "logos") and stem.endswith(("0", "5")):
                (folder / f"{family}_copies").mkdir(exist_ok=True)
                image.save(folder / f"{family}_copies" / f"{stem}.png")
                for number, (change, apply) in enumerate(CHANGES.items()):
                    copy = apply(image, random.Random(f"{name} {stem} {change}"))
                    copy.save(folder / f"{family}_copies" / f"{stem}-{number:02}.png")


def pairs_of(family: str, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a family with a wanted outcome."""
    by: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        stem = Path(path).stem
        parts = stem.split("-")
        if family.endswith("_copies"):
            key = "-".join(parts[: 3 if parts[0] == "poster" else 2])
        else:
            key = "logos" if family == "logos" else stem.rpartition("-")[0]
        by[key].append(path)
    if family.endswith("_copies"):
        return [(min(paths, key=len), one) for paths in by.values() for one in paths if one != min(paths, key=len)]
    return [pair for paths in by.values() for pair in itertools.combinations(paths, 2)]


def found_in(report: dict[str, Any]) -> dict[frozenset[str], str]:
    """Return the finding for each pair of files: dropped, asked or of one scene.

    Two files dropped for the same picture count as dropped, as they do for a user who lacks them.
    """
    found: dict[frozenset[str], str] = {}
    for scene in report.get("scenes", ()):
        found |= dict.fromkeys(map(frozenset, itertools.combinations(scene, 2)), "scene")
    for group in report["groups"]:
        alike = [group["keep"], *(member["path"] for member in group["members"] if member["kind"] != "ask")]
        asked = [member["path"] for member in group["members"] if member["kind"] == "ask"]
        found |= {frozenset((group["keep"], path)): "asked" for path in asked}
        found |= dict.fromkeys(map(frozenset, itertools.combinations(alike, 2)), "dropped")
    return found


def through_copies(found: dict[frozenset[str], str], pairs: Sequence[tuple[str, str]]) -> dict[frozenset[str], str]:
    """Return also the findings for copies of one picture through its other copies, which may be the kept ones."""
    copies: defaultdict[str, set[str]] = defaultdict(set)
    for original, copy in pairs:
        copies[original] |= {original, copy}
    whole = dict(found)
    for original, names in copies.items():
        for kinds, called in (({"dropped", "asked"}, "asked"), ({"dropped"}, "dropped")):
            reached, pending = {original}, [original]
            while pending:
                here = pending.pop()
                near = {name for name in names - reached if found.get(frozenset((here, name))) in kinds}
                reached |= near
                pending += near
            whole |= {frozenset((original, name)): called for name in reached - {original}}
    return whole


def main() -> None:
    """Make a set, search for duplicates family by family, and count the outcomes of the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, required=True, help="II-Bench's images")
    parser.add_argument("--set", dest="name", choices=sorted(SETS), default="first")
    parser.add_argument("--list", action="store_true", help="also name the pairs, by what became of them")
    options = parser.parse_args()
    told: dict[str, Any] = {}
    with TemporaryDirectory() as place:
        write(options.name, options.images, Path(place))
        for folder in sorted(Path(place).iterdir()):
            done = subprocess.run(
                benchwright("filter", "duplicates", folder, "--workers", 2, "--json"), check=True, capture_output=True
            )
            found = found_in(json.loads(done.stdout))
            pairs = pairs_of(folder.name, [path.name for path in folder.iterdir()])
            if folder.name.endswith("_copies"):
                found = through_copies(found, pairs)
            became = {pair: found.get(frozenset(pair), "apart") for pair in pairs}
            told[folder.name] = {"pairs": len(pairs), **dict(sorted(Counter(became.values()).items()))}
            if options.list:
                told[folder.name]["which"] = {
                    kind: [list(pair) for pair in pairs if became[pair] == kind]
                    for kind in sorted(set(became.values()))
                }
    show({"set": options.name, "families": told})


if __name__ == "__main__":
    main()
