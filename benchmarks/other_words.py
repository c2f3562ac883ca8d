"""Cards of a series, which are one template with different sentences, and real copies of one card.

Three sets share layouts, but no font, sentence or language. Settings were chosen on `first` and, once, widened after a
look at `held_back`; `last` was made after that, and measures the settings. Each series is a template with its own
colors, ground and fonts, and three sentences on it; the first card is also copied in 19 ways. Three more sets hold
kinds of six pictures each, all distinct: playing cards, slides, chess diagrams and others (`card_series.py`). The rules
about other marks were chosen on `series` and `first`; `series_last`, whose kinds fell short before, was run again with
the chosen rules; `series_unseen` was drawn after that, and run once. Two further sets hold twelve pictures each of one
template with other content (`template_series.py`), three of them copied. All pairs go through the pixel comparison of
`near_duplicates`, whether or not hashes would propose them.

| pairs | wanted |
|---|---|
| two cards of a series | both stay: neither dropped nor asked about |
| a card and a copy of it | dropped |

    .venv/bin/python benchmarks/other_words.py --set last
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from card_series import KINDS, card_series
from measuring import show
from picture_changes import CHANGES
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps
from template_series import TEMPLATES, template_series

from benchwright.diagnostics.copies.verification import PreparedPicture, compare_pictures

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
SERIES = 40
Color = tuple[int, int, int]


class Set(NamedTuple):
    """The content of a set's cards, with fonts and layouts."""

    fonts: tuple[str, ...]
    sentences: tuple[str, ...]
    footers: tuple[str, ...]
    layouts: tuple[str, ...]
    grounds: tuple[str, ...]


SETS = {
    "first": Set(
        ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "cmss10.ttf", "STIXGeneral.ttf"),
        (
            "When asked for a permanent address", "Happiness is being left alone", "Nobody reads the manual",
            "We meet again on Thursday", "Der frühe Vogel kann mich mal", "Wer zuletzt lacht, hat es nicht verstanden",
            "Кто рано встаёт, тот весь день хочет спать", "Без труда не выловишь и рыбку", "Small steps, every day",
            "Turn off the light", "Ask before you take a picture", "Bring your own cup", "Ordnung ist das halbe Leben",
            "Тише едешь, дальше будешь",
        ),
        ("#this generation", "© A. Johnson", "think about it", "www.example.org", ""),
        ("two_lines", "headline", "quote", "footer_only", "band"),
        ("plain", "plain", "gradient", "noise"),
    ),
    "last": Set(
        ("cmb10.ttf", "cmtt10.ttf", "STIXGeneralItalic.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSerif-BoldItalic.ttf"),
        (
            "Chi va piano va sano e va lontano", "Non tutte le ciambelle riescono col buco", "Wie het kleine niet eert",
            "De kat uit de boom kijken", "Damlaya damlaya olur", "Birlikten kuvvet", "Borta bra men hemma",
            "Den som gapar efter mycket", "Quem espera sempre", "De grao em grao", "Ihan sama", "Aamu on iltaa",
        ),
        ("serie 12", "niente di nuovo", "@blad", ""),
        ("centred", "list", "sign", "band", "quote", "left"),
        ("plain", "paper", "noise", "vignette", "gradient"),
    ),
    "held_back": Set(
        (
            "DejaVuSerif-Bold.ttf", "DejaVuSansMono.ttf", "STIXGeneralBol.ttf", "DejaVuSans-Oblique.ttf",
            "DejaVuSerif-Italic.ttf",
        ),
        (
            "Qui va lentement va sûrement", "Après la pluie, le beau temps", "On n'est jamais si bien servi",
            "El que no llora no mama", "Más vale tarde que nunca", "A caballo regalado no le mires el diente",
            "Gdzie kucharek sześć, tam nie ma co jeść", "Nie chwal dnia przed zachodem", "Παν μέτρον άριστον",
            "Το γοργόν και χάριν έχει", "Κάλλιο αργά παρά ποτέ", "Tous les chemins mènent à Rome",
            "العقل السليم في الجسم السليم", "من جد وجد ومن زرع حصد", "Entre la espada y la pared",
        ),
        ("collection printemps", "série n° 7", "@una_pagina", "", "tirage limité"),
        ("centred", "left", "list", "slide", "sign"),
        ("plain", "plain", "paper", "vignette"),
    ),
}  # fmt: skip


def _color(rng: random.Random, low: int, high: int) -> Color:
    return rng.randint(low, high), rng.randint(low, high), rng.randint(low, high)


def _ground(kind: str, size: tuple[int, int], color: Color, rng: random.Random) -> Image.Image:
    width, height = size
    pixels = np.empty((height, width, 3), np.float32)
    pixels[:] = color
    chance = np.random.default_rng(rng.randint(0, 1 << 30))
    down, across = np.mgrid[:height, :width].astype(np.float32)
    if kind == "gradient":
        pixels += (down / height * 50 - 25)[..., None]
    elif kind == "noise":
        pixels += chance.normal(0, 6, (height, width, 1))
    elif kind == "paper":
        coarse = Image.fromarray(chance.integers(0, 255, (height // 9, width // 9), dtype=np.uint8))
        pixels += (np.asarray(coarse.resize(size, Image.Resampling.BICUBIC), np.float32)[..., None] - 128) / 14
    elif kind == "vignette":
        pixels -= (np.hypot(across / width - 0.5, down / height - 0.5) * 60)[..., None]
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _font(name: str, size: float) -> Any:
    return ImageFont.truetype(str(FONTS / name), max(9, round(size)))


def _wrapped(sentence: str, characters: int) -> str:
    lines = [""]
    for word in sentence.split():
        if lines[-1] and len(lines[-1]) + len(word) > characters:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _card(template: random.Random, chosen: Set, sentence: str, second: str) -> Image.Image:
    """Return a card; draws from `template` are the same for all cards of a series."""
    size = template.choice(((700, 980), (900, 640), (720, 720), (540, 960), (1080, 1080), (480, 640)))
    width, height = size
    dark = template.random() < 0.5
    ground, ink = (
        _color(template, 0, 110) if dark else _color(template, 170, 255),
        _color(template, 200, 255) if dark else _color(template, 0, 70),
    )
    image = _ground(template.choice(chosen.grounds), size, ground, template)
    draw = ImageDraw.Draw(image)
    layout, font = template.choice(chosen.layouts), template.choice(chosen.fonts)
    scale, footer = template.choice((0.032, 0.045, 0.06, 0.085)), template.choice(chosen.footers)
    accent = _color(template, 60, 200)
    if layout in ("band", "slide"):
        draw.rectangle((0, 0, width, height * 0.13), fill=accent)
    if layout in ("quote", "sign"):
        draw.rounded_rectangle((width * 0.06, height * 0.08, width * 0.94, height * 0.88), 24, outline=accent, width=6)
    if layout == "list":
        for n in range(4):
            draw.ellipse(
                (width * 0.08, height * (0.3 + n * 0.13), width * 0.08 + 16, height * (0.3 + n * 0.13) + 16),
                fill=accent,
            )
    small, large = _font(font, height * scale * 0.7), _font(font, height * scale)
    per_line = max(10, int(width * 0.85 / (height * scale * 0.6)))
    if layout == "list":
        for n, words in enumerate((sentence, second, sentence[::-1], second[::-1])[: template.randint(2, 4)]):
            draw.text(
                (width * 0.14, height * (0.29 + n * 0.13)),
                words[: int(width * 0.8 / (height * scale * 0.4))],
                ink,
                small,
            )
    elif layout in ("left", "slide"):
        draw.multiline_text((width * 0.08, height * 0.3), _wrapped(sentence, per_line), ink, large)
        draw.text((width * 0.08, height * 0.7), second[:per_line], accent, small)
    else:
        top = {"headline": 0.2, "footer_only": 0.5}.get(layout, 0.42)
        draw.multiline_text(
            (width / 2, height * top), _wrapped(sentence, per_line), ink, large, anchor="mm", align="center"
        )
        if layout in ("two_lines", "band", "centred"):
            draw.text((width / 2, height * 0.62), second[: int(per_line * 1.3)], accent, small, anchor="mm")
    draw.text((width / 2, height * 0.94), footer, ink, _font(font, height * 0.025), anchor="mm")
    return image


def series_of(name: str) -> Iterator[tuple[str, list[Image.Image]]]:
    """Yield the cards of each series: three, six of the kinds of `card_series`, or twelve of templates."""
    if name in TEMPLATES:
        yield from ((kind, template_series(name, kind)) for kind in TEMPLATES[name])
        return
    if name in KINDS:
        yield from ((kind, card_series(name, kind)) for kind in KINDS[name])
        return
    chosen = SETS[name]
    for number in range(SERIES):
        words = random.Random(f"{name} words {number}").sample(chosen.sentences, 6)
        cards = [_card(random.Random(f"{name} template {number}"), chosen, words[n], words[3 + n]) for n in range(3)]
        yield f"{name}-{number:02}", cards


def _blurred(image: Image.Image, rng: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(rng.uniform(0.8, 1.6)))


def _stamped(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a picture with a small mark in a corner."""
    out = image.copy()
    place = rng.choice((0.03, 0.75)) * image.width, rng.choice((0.03, 0.95)) * image.height
    ImageDraw.Draw(out).text(place, "shared by @me", "#999999", _font("DejaVuSans.ttf", image.height * 0.022))
    return out


def _bordered(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a picture in a frame of one color, like a slide or a screenshot."""
    wide = round(rng.uniform(0.03, 0.1) * min(image.size))
    return ImageOps.expand(image, wide, rng.choice(("white", "black", "#dddddd", "#203060")))


def _shared(image: Image.Image, rng: random.Random) -> Image.Image:
    """Return a picture after a chain of sharing: cut, shrunk, compressed."""
    return CHANGES["JPEG 50"](CHANGES["resize 50 %"](CHANGES["crop 5 %"](image, rng), rng), rng)


COPIES: dict[str, Callable[[Image.Image, random.Random], Image.Image]] = {
    **CHANGES, "blur": _blurred, "stamp": _stamped, "border": _bordered, "cut, shrunk, compressed": _shared,
}  # fmt: skip


def main() -> None:
    """Make a set, look at all its pairs, and count the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="name", choices=sorted((*SETS, *KINDS, *TEMPLATES)), default="first")
    parser.add_argument("--list", action="store_true", help="also name the pairs that did not become what is wanted")
    parser.add_argument("--save", type=Path, help="folder for the cards")
    options = parser.parse_args()
    cards: Counter[str] = Counter()
    copies: defaultdict[str, Counter[str]] = defaultdict(Counter)
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[list[Any]] = []
    for name, series in series_of(options.name):
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            for n, card in enumerate(series):
                card.save(options.save / f"{name}-{n}.png")
        looks = [PreparedPicture(card.convert("L")) for card in series]
        for one, other in itertools.combinations(range(len(series)), 2):
            compared = compare_pictures(looks[one], looks[other])
            cards[compared.verdict] += 1
            if options.name not in SETS:
                kinds[name][compared.verdict] += 1
            if compared.verdict in {"confirmed", "unsure"}:
                wrong.append([name, one, other, compared.to_json()])
        copied = range(3 if options.name in TEMPLATES else 1)
        for (change, apply), n in itertools.product(COPIES.items(), copied):
            copy = apply(series[n], random.Random(f"{name} {change}" + f" {n}" * (n > 0)))
            compared = compare_pictures(looks[n], PreparedPicture(copy.convert("L")), mirrored=change == "mirror")
            copies[change][compared.verdict] += 1
            if compared.verdict != "confirmed":
                wrong.append([name, n, change, compared.to_json()])
    told: dict[str, Any] = {
        "set": options.name,
        "two_cards": dict(cards),
        "by_kind": {kind: dict(counts) for kind, counts in kinds.items()},
        "copies": {change: dict(counts) for change, counts in copies.items()},
    }
    show(told | ({"wrong": wrong} if options.list else {}))


if __name__ == "__main__":
    main()
