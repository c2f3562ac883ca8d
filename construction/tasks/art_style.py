"""Art style, as in BLINK (section 3.2): which of two paintings is in the style of a third?

BLINK uses paintings and their styles from WikiArt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.seeds import generator_for, seed_for
from benchwright.steps import CueFamily

from ..ground_truth.truths import ArtStyle, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import SizeWH
from ..item_parts.options.modes import Hardening
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.equal_squares import WholePicturesTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, JoinedTruths, TruthPictures

_TRIES = 12
"""Number of plans for each reference; the selection uses one of which all pictures are free."""
QUESTIONS = Wordings(
    "The first image is a painting. Which of the other two paintings is in the same style? Look at how they are "
    "painted, at brushwork, colors, shapes and light, and not at what they show.",
    "Compare how these three paintings are painted, not what they show. Which of the last two belongs to the same art "
    "style as the first one?",
    "One of the two paintings after the first one shares its style of art, whatever their subjects are. Which one is "
    "it?",
)
CLOSE_STYLES: tuple[tuple[str, ...], ...] = (
    ("Abstract_Expressionism", "Action_painting", "Color_Field_Painting", "Minimalism"),
    ("Analytical_Cubism", "Cubism", "Synthetic_Cubism"),
    ("Art_Nouveau_Modern", "Symbolism"),
    ("Baroque", "Rococo"),
    ("Contemporary_Realism", "New_Realism", "Realism"),
    ("Early_Renaissance", "High_Renaissance", "Mannerism_Late_Renaissance", "Northern_Renaissance"),
    ("Expressionism", "Fauvism"),
    ("Impressionism", "Pointillism", "Post_Impressionism"),
    ("Naive_Art_Primitivism", "Expressionism"),
    ("Realism", "Romanticism"),
)  # fmt: skip
"""Styles of WikiArt that even experts confuse."""


class ArtStyleTask(WholePicturesTask):
    """Make items that ask which of two paintings has the style of a third; needs WikiArt before it.

    Follows BLINK's art style. Reference and right painting have the same style and, if known, different painters; the
    wrong painting has another style, and another painter than the reference.

    Args:
        mode: `hardened` draws two paintings of clearly different styles, each with a partner, and decides at random
            which of the partners is the reference, so that a frequent style is no more likely to be right. The other
            partner counts as shown for `uses`, so that rare styles do not run out sooner by being right. All three are
            shown as squares with the same encoding, cut from the middle of each, whose size depends on both partners.
            `paper` starts from the reference, as the paper does, and shows paintings whole.
        close_styles: Groups of styles that are never compared with each other, because people confuse them.
        other_artist: Whether reference and right painting must have different painters if both are known.

    Reasons:
        no_partner (drop): There is no other painting of its style, or no painting of a clearly different style or, in
            mode `hardened`, none that itself has a partner.
        same_picture (drop): Two of the three squares are equal.
    """

    name: ClassVar[str] = "art_style"
    hardening: ClassVar[Hardening] = Hardening(
        {
            "no_partner": "an item needs four paintings, two of each of two styles, by different painters if "
            "`other_artist` is set: add paintings of rare styles",
        },
        "sizes of pictures and the frequency of styles",
    )
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset({"reference_pixels"})
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (ArtStyle,)

    close_styles: tuple[tuple[str, ...], ...] = CLOSE_STYLES
    other_artist: bool = True
    min_side_px: int = Field(200, ge=16)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any]]:
        """Yield, for each painting, triplets with it as the reference or, in mode `hardened`, as one of the two
        options; yield a painting without triplets alone.
        """
        del sizes_wh
        styles: dict[str, list[RecordTruth[Any]]] = defaultdict(list)
        for truth in truths:
            styles[truth.truth.style].append(truth)
        orders = {
            style: sorted(paintings, key=lambda truth: seed_for(seed, self.name, truth.record, "partner"))
            for style, paintings in styles.items()
        }
        far = {style: [other for other in sorted(orders) if self.is_far(style, other)] for style in orders}
        names: set[str] = set()
        for style in sorted(orders):
            paintings = orders[style]
            for number, reference in enumerate(paintings):
                if self.mode == "paper":
                    triplets = list(self._triplets(reference, paintings, number, orders, far[style], seed))
                    yield from triplets or [reference]
                    continue
                triplets = list(self._exchangeable(reference, orders, far[style], seed))
                for triplet in triplets or [reference]:
                    if triplet.record not in names:  # either option may have brought it
                        names.add(triplet.record)
                        yield triplet

    def is_far(self, style: str, other: str) -> bool:
        """Return whether two styles may be compared."""
        return style != other and not any({style, other} <= set(group) for group in self.close_styles)

    def _triplets(
        self,
        reference: RecordTruth[Any],
        paintings: Sequence[RecordTruth[Any]],
        number: int,
        orders: Mapping[str, Sequence[RecordTruth[Any]]],
        far: Sequence[str],
        seed: int,
    ) -> Iterator[RecordTruth[Any]]:
        """Yield triplets for a reference: each of the following paintings of its style against one of a random style,
        with all styles equally likely.
        """
        if not far:
            return
        rng = generator_for(seed, self.name, reference.record, "against")
        following = [paintings[(number + step) % len(paintings)] for step in range(1, len(paintings))]
        same_style = [other for other in following[: 8 * _TRIES] if self._is_right(reference, other)][:_TRIES]
        for attempt in range(_TRIES if same_style else 0):
            right = same_style[attempt % len(same_style)]
            against = orders[far[int(rng.integers(len(far)))]]
            wrong = against[int(rng.integers(len(against)))]
            if wrong.image_ids[0] in (reference.image_ids[0], right.image_ids[0]) or _same_artist(reference, wrong):
                continue
            yield JoinedTruths.of((reference, right, wrong))

    def _exchangeable(
        self,
        painting: RecordTruth[Any],
        orders: Mapping[str, Sequence[RecordTruth[Any]]],
        far: Sequence[str],
        seed: int,
    ) -> Iterator[RecordTruth[Any]]:
        """Yield triplets with the given painting as one option against one of a random style, with all styles equally
        likely.

        Each of the two has a partner of its style, and a random draw decides which partner is the reference; the other
        partner comes last.
        """
        rng = generator_for(seed, self.name, painting.record, "pair")
        for _ in range(_TRIES if far else 0):
            against = orders[far[int(rng.integers(len(far)))]]
            options = painting, against[int(rng.integers(len(against)))]
            partners = [
                self._partner(right, wrong, orders[right.truth.style], rng) for right, wrong in (options, options[::-1])
            ]
            number = int(rng.integers(2))
            reference, other = partners[number], partners[1 - number]
            if reference is not None and other is not None and options[0].image_ids[0] != options[1].image_ids[0]:
                yield JoinedTruths.of((reference, options[number], options[1 - number], other))

    def _partner(
        self,
        right: RecordTruth[Any],
        wrong: RecordTruth[Any],
        paintings: Sequence[RecordTruth[Any]],
        rng: np.random.Generator,
    ) -> RecordTruth[Any] | None:
        """Return a reference in the style of one option; it is neither of the options, and its painter is allowed."""
        for number in rng.integers(len(paintings), size=min(8 * _TRIES, 4 * len(paintings))).tolist():
            other: RecordTruth[Any] = paintings[number]
            if (
                self._is_right(other, right)
                and other.image_ids[0] != wrong.image_ids[0]
                and not _same_artist(other, wrong)
            ):
                return other
        return None

    def _is_right(self, reference: RecordTruth[Any], other: RecordTruth[Any]) -> bool:
        if other.image_ids[0] == reference.image_ids[0]:
            return False
        return not (self.other_artist and _same_artist(reference, other))

    def planned(self, truth: RecordTruth[Any], pictures: TruthPictures, rng: np.random.Generator) -> ItemPlan | str:
        """Plan an item, recording styles and painters."""
        del rng
        if not isinstance(truth.truth, JoinedTruths):
            return "no_partner"
        paintings: tuple[ArtStyle, ...] = truth.truth.parts[:3]
        document = {
            "styles": [painting.style for painting in paintings],
            "artists": [painting.artist for painting in paintings],
            **self.side(pictures),
        }
        # The balanced property must not reveal the right option.
        answer = paintings[0].style if self.mode == "paper" else " and ".join(sorted({p.style for p in paintings}))
        reserved = tuple(range(3, len(truth.image_ids)))
        return ItemPlan((0, 1), answer, document, pictures=(0, 1, 2), reserved=reserved)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the painting of the same style at its position."""
        del shown
        options = [2]
        options.insert(chosen.letter, 1)
        images = ((0, "reference", ()), *((number, "choice", ()) for number in options))
        return ItemWording(
            QUESTIONS, tuple(options), images, evidence=chosen.plan, attributes={"style": chosen.plan["styles"][0]}
        )


def _same_artist(first: RecordTruth[Any], second: RecordTruth[Any]) -> bool:
    return first.truth.artist is not None and first.truth.artist == second.truth.artist
