"""A workspace in memory whose items reveal their answers in every field except those that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from small_bench import OPERATION, Bench

from benchwright.exports.freezing.step import Freeze, freeze
from benchwright.records import LETTERS, Choice, Item, ItemImage, item_id_for
from benchwright.release import Release

SECRET_SEED = 7_342_098_234_098_234_098
WORDS = ("harbour", "meadow", "kitchen", "station", "library", "bridge", "market", "forest", "office", "garden")


class TellingBench(Bench):
    """Items of which half show two pictures as options, the right one of which was made otherwise."""

    def telling(self, number: int, split: str, rng: np.random.Generator) -> Item:
        """Add an item whose labels, ids, groups and history follow from its answer."""
        source = self.source(number % 250, "CC BY 4.0")
        answer = LETTERS[int(rng.integers(4 if number % 2 else 2))]
        options: dict[str, Any]
        if number % 2:
            words = rng.permutation(WORDS)[:4]
            shown: tuple[ItemImage, ...] = (ItemImage(image_id=source.image_id, role="reference"),)
            options = {"choices": tuple(Choice(key=k, text=str(w)) for k, w in zip(LETTERS, words, strict=False))}
        else:
            shades = rng.permutation(200)[:2]
            pictures = [
                self.picture(4, 3, (int(shade), number % 256, number // 256), derived_from=(source.image_id,),
                             root_image_id=source.image_id, operation_id=OPERATION.operation_id)
                for shade in shades
            ]  # fmt: skip
            right = "made" if answer == "A" else "copied"
            shown = tuple(
                ItemImage(image_id=p.image_id, role=right if k == 0 else "other") for k, p in enumerate(pictures)
            )
            options = {
                "choices": tuple(Choice(key=k, image_id=p.image_id) for k, p in zip("AB", pictures, strict=True))
            }
        item_id = item_id_for("by_hand", SECRET_SEED, {}, (source.image_id,), number)
        return self.add(
            source, split, number, task="words" if number % 2 else "pictures", question=f"Question {number}: which?",
            images=shown, answer=answer, level=answer, category=f"right {answer}", attributes={"key": answer},
            explanation=f"because {answer} is right, SECRETWORD", written_by={"question": answer},
            group_keys=(f"group:{answer}",), evidence={"right": answer, "note": "SECRETWORD"},
            item_id=answer.lower() + item_id[1:], revision=ord(answer) - 65, made_from=f"from {answer}", **options,
        )  # fmt: skip


class TellingView:
    """The bench as a finished workspace."""

    fingerprint = "f" * 64
    seed = SECRET_SEED

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def items(self) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        for item, split in self.bench.items:
            by = '{"annotator-1": true}'
            told = {
                "answers.asked": 1,
                "answers.right": 1,
                "answers.right_by": by,
                "answers.asked_content": item.content_hash,
            }
            yield item, {"splits.split": split, **told}

    def image(self, image_id: str) -> Any:
        return self.bench.records[image_id]

    def image_bytes(self, record: Any) -> bytes:
        assert record == self.bench.records[record.image_id], "the file of a picture is found by its full record"
        return self.bench.files[record.image_id]

    def operations(self) -> list[Any]:
        return [OPERATION]

    def stages(self) -> list[dict[str, Any]]:
        counts = {"in": 8, "verdicts": {"keep": {"": 8}}, "made": {}}
        return [{"stage": "splits", "step": "splits", "fingerprint": "0" * 64, "counts": counts}]

    def campaigns(self) -> dict[str, Any]:
        return {
            "answers": {
                "kind": "answer", "simulated": True, "annotators": {"annotator-1": {"letters": "SECRETWORD"}},
                "answers_per_item": 1, "rule": "answers(1)",
            }
        }  # fmt: skip


def telling_bench(*, sealed: int, open_items: int = 8) -> TellingBench:
    """Return a bench with items in a split `test`, and some in a split `val`."""
    bench, rng = TellingBench(), np.random.default_rng(11)
    for number in range(sealed + open_items):
        bench.telling(number, "test" if number < sealed else "val", rng)
    return bench


def freeze_sealed(workspace: Path, bench: Bench, *, sealed: tuple[str, ...] = ("test",), **settings: Any) -> Release:
    """Freeze a bench as version 1.0 of `telling`."""
    seed = settings.pop("seed", SECRET_SEED)
    wanted = Freeze.model_validate(
        {"name": "telling", "version": "1.0", "sealed": sealed, "max_blind_gain": 1, **settings}
    )
    return freeze(wanted, TellingView(bench), workspace=workspace, seed=seed, recipe={"name": "telling", "seed": seed})
