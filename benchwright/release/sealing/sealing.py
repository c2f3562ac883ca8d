"""Sealing while a release is written: public items are passed on, and everything else goes to the key file.

A temporary file stores the original items and the records of their pictures, so memory use does not grow with them.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, RecipeError
from benchwright.records import ImageRecord, Item, Operation, Source
from benchwright.release.format.manifest import SealedSplits
from benchwright.release.sealing.answer_key import commitment_of, read_answer_key, salt_of, write_answer_key
from benchwright.release.sealing.public_items import SALT_BYTES, SEALED_OPERATION, public_item, salted

KEYS = "keys"
"""Folder in a workspace that contains the key files of its releases."""

GUESSABLE_SEEDS = 1 << 56
"""Seeds below this number are few enough to try exhaustively, or may be a favorite number."""


def key_path(workspace: Path, name: str, version: str) -> Path:
    """Return the path of a release's key file in a workspace."""
    return workspace / KEYS / f"{name}-{version}.key.json"


def known_salt(workspace: Path, name: str, version: str | None) -> bytes | None:
    """Return the salt with which this release, or else another version of it, was sealed earlier; None if there is
    none.

    With the same salt, the same items keep their public ids and the order of their options.
    """
    folder = workspace / KEYS
    paths = sorted(folder.glob(f"{name}-*.key.json")) if folder.is_dir() else []
    own = [path for path in paths if version is not None and path == key_path(workspace, name, version)]
    return salt_of((own or paths)[-1]) if paths else None


def require_secret_seed(seed: int) -> None:
    """Check that the items and their answers cannot be reproduced by trying seeds.

    Raises:
        RecipeError: The seed can be guessed.
    """
    if seed < GUESSABLE_SEEDS:
        drawn = GUESSABLE_SEEDS + secrets.randbelow((1 << 63) - GUESSABLE_SEEDS)
        raise RecipeError(
            f"the recipe's seed {seed} can be guessed, and running the recipe with it on the same pictures gives "
            f"every answer to seal; set a secret one, such as `seed: {drawn}` (drawn just now), run the recipe again, "
            "and publish the recipe without it. If people gave the answers and none follows from recipe and pictures, "
            "set `accept_known_seed: true`"
        )


class Sealing:
    """The process of sealing the splits of one release.

    Args:
        splits: Names of the sealed splits.
        salt: Secret salt; a new one if None.
        seed: Seed of the run that made the items.
        accept_known_seed: Whether to accept a seed that can be guessed.

    Raises:
        RecipeError: The seed can be guessed, and the items and their answers can be reproduced with it.
    """

    def __init__(
        self, splits: Iterable[str], *, salt: bytes | None, seed: int, accept_known_seed: bool = False
    ) -> None:
        self.splits = tuple(sorted(set(splits)))
        self.salt = salt or secrets.token_bytes(SALT_BYTES)
        self._seed_is_known = seed < GUESSABLE_SEEDS
        if not accept_known_seed:
            require_secret_seed(seed)
        self._seed = seed
        self._database = sqlite3.connect("")  # a temporary file, which SQLite deletes
        self._database.execute("CREATE TABLE entry (kind TEXT, id TEXT, line TEXT, PRIMARY KEY (kind, id))")
        self._open: set[str] = set()
        self._found: set[str] = set()
        self._shown: dict[str, str | None] = {}
        self._operations: dict[str, str] = {}

    def survey(self, items: Iterable[tuple[Item, str]]) -> None:
        """Record which items are released with their answers; this takes about 100 bytes of memory per such item.

        Raises:
            BenchwrightError: A sealed split has no item.
        """
        for item, split in items:
            if split not in self.splits:
                self._open.add(item.item_id)
            self._found.add(split)
        if missing := sorted(set(self.splits) - self._found):
            raise BenchwrightError(
                f"sealed: split {missing[0]!r} has no items; the splits with items are {', '.join(sorted(self._found))}"
            )

    def is_open(self, item_id: str) -> bool:
        """Return whether an item of the workspace is released with its answer."""
        return item_id in self._open

    def public(
        self, items: Iterable[tuple[Item, str]], image: Callable[[str], ImageRecord]
    ) -> Iterator[tuple[Item, str]]:
        """Yield items in public form, and keep the omitted parts for the key file."""
        for item, split in items:
            self._shown = {}
            if split not in self.splits:
                named = self._operations.get(item.operation_id, item.operation_id)
                yield item.model_copy(update={"operation_id": named}), split
                continue
            self._keep("item", item.item_id, item.model_dump(mode="json"))
            licences = sorted({licence for record in self._pictures(item, image) if (licence := _licence(record))})
            self._shown = dict.fromkeys([shown.image_id for shown in item.images], "; ".join(licences) or None)
            yield public_item(item, self.salt).item, split

    def image(self, image: Callable[[str], ImageRecord]) -> Callable[[str], ImageRecord]:
        """Return a function that returns the public record of a picture of the last yielded item.

        The record of a sealed item's picture omits its source and what it was made from, except for the licenses of all
        pictures of its item.
        """

        def public_record(image_id: str) -> ImageRecord:
            record = image(image_id)
            if image_id not in self._shown:
                named = record.operation_id and self._operations.get(record.operation_id, record.operation_id)
                return record.model_copy(update={"operation_id": named})
            licence = self._shown[image_id]
            return record.model_copy(
                update={
                    "source": licence and Source(uri=f"sealed:{salted(self.salt, image_id)[:16]}", licence=licence),
                    "derived_from": (),
                    "operation_id": None,
                    "pixel_hash": None,
                    "root_image_id": image_id,
                    "notes": tuple(note for note in record.notes if note.startswith("exif_orientation")),
                }
            )

        return public_record

    def original(self, record: ImageRecord) -> ImageRecord:
        """Return the full record of a picture, with the location of its file."""
        row = self._database.execute(
            "SELECT line FROM entry WHERE kind = 'image' AND id = ?", (record.image_id,)
        ).fetchone()
        if row is not None:
            return ImageRecord.model_validate_json(row[0][len('{"image":') : -1])
        named = next(
            (old for old, bare in self._operations.items() if bare == record.operation_id), record.operation_id
        )
        return record.model_copy(update={"operation_id": named})

    def operations(self, operations: Sequence[Operation]) -> list[Operation]:
        """Return the operations without the seed, including the operation that sealed items state."""
        public = []
        for operation in operations:
            self._keep("operation", operation.operation_id, operation.model_dump(mode="json"))
            bare = operation.model_copy(update={"seed": 0, "parameters": _without_seeds(operation.parameters)})
            self._operations[operation.operation_id] = bare.operation_id
            public.append(bare)
        return [*public, SEALED_OPERATION]

    def recipe(self, recipe: Mapping[str, Any]) -> dict[str, Any]:
        """Return a recipe without seeds."""
        self._keep("recipe", "", {"recipe": dict(recipe), "seed": self._seed})
        public: dict[str, Any] = _without_seeds(recipe)
        return public

    def stages(self, stages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the stages with salted fingerprints, since a fingerprint covers tables that contain answers."""
        self._keep("stages", "", list(stages))
        return [
            {**stage, **({"fingerprint": salted(self.salt, stage["fingerprint"])} if "fingerprint" in stage else {})}
            for stage in stages
        ]

    def agreement(self, campaigns: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Return the overall figures in campaigns' summaries, without figures by item or answer."""
        self._keep("agreement", "", dict(campaigns))
        return {
            name: {key: value for key, value in summary.items() if isinstance(value, str | bool | int | float)}
            for name, summary in campaigns.items()
        }

    def human_baseline(self, baseline: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return a human baseline without the sealed items, or None if no items remain."""
        if baseline is None:
            return None
        self._keep("human_baseline", "", dict(baseline))
        public = {
            name: {**answers, "items": {k: v for k, v in answers["items"].items() if self.is_open(k)}}
            for name, answers in baseline.items()
        }
        return {name: answers for name, answers in public.items() if answers["items"]} or None

    def keep_errata(self, errata: Sequence[Mapping[str, Any]]) -> None:
        """Keep errata for the key file."""
        self._keep("errata", "", list(errata))

    def manifest_entry(self) -> SealedSplits:
        """Return the entry for the manifest; call this after all items have passed through `public`."""
        return SealedSplits(
            splits=list(self.splits),
            commitment=commitment_of(self.salt, self._lines()),
            seed_is_known=self._seed_is_known,
        )

    def write_key(self, path: Path, *, release: str, release_id: str) -> None:
        """Write the key file unless it already exists.

        Raises:
            BenchwrightError: The path contains the key of another release.
        """
        if path.exists():
            before = read_answer_key(path)
            if before.release_id == release_id and before.commitment == commitment_of(self.salt, self._lines()):
                return
            raise BenchwrightError(
                f"{path} is the key of another release {before.release} ({before.release_id[:12]}), which cannot be "
                "scored without it; raise the version, or move the key file away"
            )
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_answer_key(path, {"release": release, "release_id": release_id}, self.salt, self._lines())

    def _pictures(self, item: Item, image: Callable[[str], ImageRecord]) -> list[ImageRecord]:
        """Keep and return the records of the pictures that an item shows and of those from which they were made."""
        wanted, records = [item.root_image_id, *(shown.image_id for shown in item.images)], dict[str, ImageRecord]()
        while wanted:
            image_id = wanted.pop()
            if image_id not in records:
                records[image_id] = record = image(image_id)
                self._keep("image", image_id, record.model_dump(mode="json"))
                wanted += record.derived_from
        return list(records.values())

    def _keep(self, kind: str, entry_id: str, value: Any) -> None:
        line = canonical_json({kind: value})
        self._database.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", (kind, entry_id, line))

    def _lines(self) -> Iterator[str]:
        for (line,) in self._database.execute("SELECT line FROM entry ORDER BY kind, id"):
            yield line


def _without_seeds(value: Any) -> Any:
    """Return JSON values without the fields named `seed`, at any depth."""
    if isinstance(value, Mapping):
        return {name: _without_seeds(part) for name, part in value.items() if name != "seed"}
    return [_without_seeds(part) for part in value] if isinstance(value, list | tuple) else value


def _licence(record: ImageRecord) -> str | None:
    return None if record.source is None else record.source.licence
