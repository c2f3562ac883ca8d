"""The card's settings can be read by the Hub's own client, and cards of earlier layouts are still verified."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from small_bench import small_bench

from benchwright.release import Release, verify_release
from benchwright.release.card.earlier_words import _PHRASES, in_earlier_words
from benchwright.release.card.markdown import amount
from benchwright.release.format.manifest import seal

pytestmark = pytest.mark.slow


def test_the_clients_reader_of_cards_finds_categories_size_and_licence(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    release = small_bench().write(tmp_path / "r")
    settings = hub.DatasetCard.load(release.path / "README.md").data
    assert settings.task_categories == ["visual-question-answering", "multiple-choice"]
    assert settings.size_categories == ["n<1K"]
    assert (settings.license, settings.pretty_name) == ("cc-by-4.0", "tiny")
    assert settings.configs[0]["data_files"][0]["split"] == "test"
    assert verify_release(release.path).ok


@pytest.mark.parametrize(
    ("head", "mark"),
    [(1, "<!-- benchwright/card 1 -->\n"), (1, ""), (2, "<!-- benchwright/card 2 -->\n")],
    ids=["first", "unmarked", "second"],
)
def test_a_card_of_an_earlier_layout_still_holds(head: int, mark: str, tmp_path: Path) -> None:
    release = small_bench().write(tmp_path / "r")
    card = release.path / "README.md"
    text = in_earlier_words(card.read_text()).split("\n## Citation")[0] + "\n" + mark
    if head == 1:
        before, rest = text.split("task_categories:")
        text = before + "configs:" + rest.split("configs:", 1)[1]
    text = re.sub(
        r"In sum: .*?made of it\.",
        "`provenance.json` names each image's source, author and licence.",
        text,
        flags=re.DOTALL,
    )
    card.write_text(re.sub(r"## Example\n.*?(?=## )", "", text, flags=re.DOTALL))
    _restate(release, card)
    assert verify_release(release.path).problems == []


@pytest.mark.parametrize(("now", "earlier"), _PHRASES)
def test_each_phrase_of_the_card_has_one_earlier_phrase(now: str, earlier: str) -> None:
    assert now != earlier
    assert in_earlier_words(f"Before. {now} After.") == f"Before. {earlier} After."


def test_a_card_before_version_7_has_the_plural_after_one() -> None:
    assert [amount(1, "picture is", "pictures are", version=version) for version in (6, 7)] == [
        "1 pictures are", "1 picture is",
    ]  # fmt: skip


def _restate(release: Release, card: Path) -> None:
    """Let the manifest and its seal name the card as it is now."""
    path = release.path / "manifest.json"
    manifest = json.loads(path.read_text())
    data = card.read_bytes()
    manifest["files"]["README.md"] = {"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
    path.write_text(json.dumps(manifest))
    (release.path / "manifest.sha256").write_bytes(seal(path.read_bytes()))
