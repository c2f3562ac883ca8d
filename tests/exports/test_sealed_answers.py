"""Sealed splits: their answers stay out of everything public, and the key file restores them.

- No file of the release reveals an answer.
- The same salt gives the same bytes; without the key, a version is not frozen again.
- The key is bound to the release, and a change in either is found.
- A classifier on everything public but pictures and texts learns nothing, not even when MM-SAP's items are to be
  declined.
- Recipe, pictures and release, without the seed, are not enough to reconstruct the answers.
"""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml
from sealed_bench import SECRET_SEED, WORDS, TellingBench, freeze_sealed, telling_bench
from walks import in_process, make_photographs

from benchwright.errors import BenchwrightError, RecipeError
from benchwright.images import encode_png
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Choice, Item, ItemImage, VisualPrompt
from benchwright.release import Release, verify_release
from benchwright.release.format.human_baseline import read_human_baseline
from benchwright.release.sealing.answer_key import read_answer_key, unsealed
from benchwright.release.sealing.public_items import public_item, what_tells
from benchwright.release.sealing.sealing import GUESSABLE_SEEDS

pytestmark = pytest.mark.slow

KEY = Path("keys") / "telling-1.0.key.json"


@pytest.fixture
def bench() -> TellingBench:
    return telling_bench(sealed=40)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with the sealed release of the bench, with its key and its salt, and where the release is in it."""
    folder = tmp_path_factory.mktemp("frozen")
    return folder, freeze_sealed(folder, telling_bench(sealed=40)).path.relative_to(folder)


@pytest.fixture
def release(frozen: tuple[Path, Path], tmp_path: Path) -> Release:
    shutil.copytree(frozen[0], tmp_path, dirs_exist_ok=True)
    return Release.open(tmp_path / frozen[1])


def test_a_sealed_item_is_what_is_shown_and_nothing_else(release: Release, bench: TellingBench) -> None:
    items = {split: [released.item for released in release.items(split)] for split in release.splits}
    assert {len(items["test"]), len(items["val"])} == {40, 8}
    assert [what_tells(item) for item in items["test"]] == [[]] * 40
    assert all(what_tells(item) for item in items["val"])
    originals = {item.question: item for item, _ in bench.items}
    for item in items["test"]:
        original = originals[item.question]
        assert {choice.text for choice in item.choices} == {choice.text for choice in original.choices}
        assert {image.image_id for image in item.images} == {image.image_id for image in original.images}
    for item in items["val"]:
        original = originals[item.question]
        assert (item.answer, item.evidence, item.item_id) == (original.answer, original.evidence, original.item_id)


def test_no_file_holds_the_words_ids_or_seed_of_sealed_items(release: Release, bench: TellingBench) -> None:
    every_row = [row for row in release.rows() if row["split"] == "test"]
    texts = {
        path.name: path.read_bytes().decode("utf-8", "replace") for path in release.path.glob("*") if path.is_file()
    }
    texts["rows"] = json.dumps(every_row)
    hidden = [item.item_id for item, split in bench.items if split == "test"]
    hidden += [item.content_hash for item, split in bench.items if split == "test"]
    for name, text in texts.items():
        assert [
            word for word in ("SECRETWORD", "right A", "from A", str(SECRET_SEED), *hidden) if word in text
        ] == [], name
    assert release.manifest.seed is None
    baseline = read_human_baseline(release)
    assert baseline is not None
    assert len(baseline["answers"]["items"]) == 8


def test_options_and_items_stand_in_another_order(release: Release, bench: TellingBench) -> None:
    originals = {item.question: item for item, _ in bench.items}
    pairs = [(released.item, originals[released.item.question]) for released in release.items("test")]
    moved = sum(public.choices != original.choices for public, original in pairs)
    assert moved >= 20, "24 orders of words and 2 of pictures"
    assert [original.item_id for _, original in pairs] != sorted(original.item_id for _, original in pairs)
    for public, _ in pairs:
        if public.task == "pictures":
            assert [choice.image_id for choice in public.choices] == [image.image_id for image in public.images]


def test_the_key_gives_everything_back(release: Release, bench: TellingBench, tmp_path: Path) -> None:
    opened = unsealed(release, read_answer_key(tmp_path / KEY))
    originals = {item.question: item for item, _ in bench.items}
    for released in opened.items("test"):
        item, original = released.item, originals[released.item.question]
        assert _right(item) == _right(original)
        assert (item.level, item.category, item.group_keys) == (original.level, original.category, original.group_keys)
        assert (item.evidence, item.explanation) == (original.evidence, original.explanation)
    assert opened.release_id == release.release_id


def _right(item: Item) -> str | None:
    right = next(choice for choice in item.choices if choice.key == item.answer)
    return right.text or right.image_id


def test_the_same_salt_gives_the_same_bytes(release: Release, bench: TellingBench, tmp_path: Path) -> None:
    before = (tmp_path / KEY).read_bytes()
    shutil.rmtree(release.path)
    bench.items.reverse()
    assert freeze_sealed(tmp_path, bench).release_id == release.release_id
    assert (tmp_path / KEY).read_bytes() == before


def test_another_workspace_has_another_salt(release: Release, bench: TellingBench, tmp_path: Path) -> None:
    assert freeze_sealed(tmp_path / "other", bench).content_id != release.content_id


def test_the_key_is_its_owners_and_outside_the_release(release: Release, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
    assert list(release.path.rglob("*key*")) == []


def test_a_release_whose_key_is_gone_is_not_frozen_again(release: Release, bench: TellingBench, tmp_path: Path) -> None:
    (tmp_path / KEY).unlink()
    with pytest.raises(BenchwrightError, match=r"telling-1\.0\.key\.json.*restore the file"):
        freeze_sealed(tmp_path, bench)


def test_the_key_of_another_content_is_not_overwritten(release: Release, bench: TellingBench, tmp_path: Path) -> None:
    shutil.rmtree(release.path)
    bench.items.pop(0)
    with pytest.raises(BenchwrightError, match="key of another release"):
        freeze_sealed(tmp_path, bench)


def test_a_seed_that_can_be_guessed_is_refused_unless_nothing_follows_from_it(
    bench: TellingBench, tmp_path: Path
) -> None:
    with pytest.raises(RecipeError, match=r"seed 17 can be guessed.*`seed: \d{17,}`"):
        freeze_sealed(tmp_path, bench, seed=17)
    release = freeze_sealed(tmp_path, bench, seed=17, accept_known_seed=True)
    assert "**The seed of the recipe can be guessed.**" in (release.path / "README.md").read_text()
    assert verify_release(release.path).ok


def test_a_split_without_items_cannot_be_sealed(bench: TellingBench, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match=r"split 'tset' has no items; the splits with items are test, val"):
        freeze_sealed(tmp_path, bench, sealed=("tset",))


def test_a_draft_is_sealed_again_under_its_own_name(bench: TellingBench, tmp_path: Path) -> None:
    first = freeze_sealed(tmp_path, bench, version=None)
    assert freeze_sealed(tmp_path, bench, version=None).release_id == first.release_id
    assert len(list((tmp_path / "keys").iterdir())) == 1


def test_anybody_verifies_the_release_and_the_keeper_the_key(release: Release, tmp_path: Path) -> None:
    public = verify_release(release.path)
    assert public.ok
    assert any("the key fits" in line for line in public.not_proven)
    keyed = verify_release(release.path, key=tmp_path / KEY)
    assert keyed.ok
    assert any("its 40 items, with its salt, make the sealed ones" in line for line in keyed.proven)


def _changed(key: Path, old: str, new: str) -> Path:
    text = key.read_text()
    assert old in text
    other = key.with_name("changed.json")
    other.write_text(text.replace(old, new, 1))
    return other


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"answer":"A"', '"answer":"B"', "not the key of"),
        ('"salt":"', '"salt":"00', "not the key file"),
        ('"release_id":"', '"release_id":"0', "is the key of telling"),
        ("\n]}\n", "\n", "cut off"),
        ('"version":1,"entries"', '"version":9,"entries"', "upgrade benchwright"),
    ],
)
def test_a_changed_key_is_found(release: Release, tmp_path: Path, old: str, new: str, problem: str) -> None:
    verification = verify_release(release.path, key=_changed(tmp_path / KEY, old, new))
    assert not verification.ok
    assert problem in verification.problems[0]


def test_a_release_that_tells_an_answer_is_found(bench: TellingBench, tmp_path: Path) -> None:
    release = freeze_sealed(tmp_path, bench)
    open_release = freeze_sealed(tmp_path / "open", bench, sealed=())
    path = release.path / "manifest.json"
    document = json.loads((open_release.path / "manifest.json").read_text())
    document["sealed"] = json.loads(path.read_text())["sealed"]
    from benchwright.release.format.documents import spell
    from benchwright.release.format.manifest import seal

    data = spell(document, title="manifest.json")
    (open_release.path / "manifest.json").write_bytes(data)
    (open_release.path / "manifest.sha256").write_bytes(seal(data))
    verification = verify_release(open_release.path)
    assert not verification.ok
    assert "answer, level, category" in verification.problems[0]


def test_a_sealed_release_is_not_corrected_without_its_workspace(release: Release, tmp_path: Path) -> None:
    (tmp_path / "errata.json").write_text('{"format": "benchwright/errata", "version": 1, "errata": []}')
    done = in_process("release", "correct", release.path, "--errata", tmp_path / "errata.json", "--version", "2.0",
                   "--out", tmp_path / "next")  # fmt: skip
    assert done.returncode == 2
    assert "freeze the workspace again" in done.stderr


def _item(**fields: Any) -> Item:
    shown = {"images": (ItemImage(image_id="a" * 64, role="reference"),), "kind": "multiple_choice", **fields}
    return Item(item_id="b" * 32, task="t", question="Which?", answer="A", root_image_id="a" * 64, operation_id="o",
                made_from="m", **shown)  # fmt: skip


def _texts(*texts: str) -> tuple[Choice, ...]:
    return tuple(Choice(key=key, text=text) for key, text in zip("ABCDEFGH", texts, strict=False))


def _orders(item: Item) -> set[tuple[str, ...]]:
    return {public_item(item, bytes([number]) * 32).order for number in range(60)}


def test_options_that_are_tied_to_their_order_keep_it() -> None:
    free = _item(choices=_texts("a cat", "a dog", "no animal at all"))
    assert len(_orders(free)) == 6
    ring = VisualPrompt(kind="ring", image_id="a" * 64, points=((1, 1),), label="A")
    marked = (ItemImage(image_id="a" * 64, role="reference", prompts=(ring,)),)
    for tied in (
        _item(choices=_texts("yes", "no"), kind="yes_no"),
        _item(choices=_texts("A", "B", "C")),
        _item(choices=_texts("12", "13", "14")),
        _item(choices=_texts("the second image", "the third image")),
        _item(choices=_texts("cats", "dogs", "both of the above")),
        _item(choices=_texts("red", "blue"), images=marked),
    ):
        assert len(_orders(tied)) == 1
    refused = _item(choices=_texts("cat", "dog", "I cannot tell", "bird"), refusal="C")
    assert {order[2] for order in _orders(refused)} == {"C"}
    assert len(_orders(refused)) == 6


# --- what an attacker makes of it --------------------------------------------------------------------------------


def _features(rows: Sequence[Mapping[str, Any]], *, leave_out: tuple[str, ...] = ()) -> np.ndarray:
    """Return numbers for everything in rows but pictures, texts and the answer: bytes of ids, lengths, hashes, places."""
    vectors = []
    for place, row in enumerate(rows):
        vector: list[float] = [place]
        for name in sorted(row.keys() - {"images", "question", "choices", "answer", *leave_out}):
            value = row[name]
            spelled = json.dumps(value)
            vector += [len(spelled), sum(spelled.encode()) % 251, hash_of(spelled)]
            head = bytes(spelled.encode()[:12])
            vector += list(head.ljust(12, b"\0"))
        pictures = [*(row["images"] or [])[:3]]
        vector += [float(len(picture["bytes"])) for picture in pictures] + [0.0] * (3 - len(pictures))
        vector += [float(sum(picture["path"][-5:].encode())) for picture in pictures] + [0.0] * (3 - len(pictures))
        ids = [choice["image_id"] or "0" for choice in row["choices"]][:4]
        vector += [float(int(image_id[:8], 16)) for image_id in ids] + [0.0] * (4 - len(ids))
        vectors.append(vector)
    return np.array(vectors, dtype=np.float64)


def hash_of(text: str) -> float:
    """Return a number that is the same for equal texts."""
    from zlib import crc32

    return float(crc32(text.encode()))


def _right_of_the_other_half(rows: Sequence[Mapping[str, Any]], keys: Mapping[str, str]) -> tuple[int, int, float]:
    """Train on every second item; return hits on the others, their number, and the best constant guess's chance."""
    from sklearn.ensemble import RandomForestClassifier

    features, letters = _features(rows), np.array([keys[row["item_id"]] for row in rows])
    forest = RandomForestClassifier(300, random_state=5, n_jobs=1).fit(features[::2], letters[::2])
    return int((forest.predict(features[1::2]) == letters[1::2]).sum()), len(rows) // 2, 0.0


@pytest.fixture(scope="module")
def many_sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Release]:
    """A release of many sealed items, and the same with its answers back."""
    folder = tmp_path_factory.mktemp("many")
    release = freeze_sealed(folder, telling_bench(sealed=2000))
    return release, unsealed(release, read_answer_key(folder / KEY))


@pytest.mark.parametrize(("task", "chance"), [("words", 1 / 4), ("pictures", 1 / 2)])
def test_a_classifier_on_everything_else_learns_nothing(
    many_sealed: tuple[Release, Release], task: str, chance: float
) -> None:
    """Hits on the other half stay below a bound that chance passes once in a million times, fixed here.

    2,000 sealed items, 1,000 of each task. The salt is new in every run. The same classifier on the same items unsealed
    is nearly always right, so it would find what there is.
    """
    from scipy.stats import binom

    release, opened = many_sealed
    keys = {row["item_id"]: row["answer"] for row in opened.rows(("item_id", "answer"))}
    names = [name for name in next(iter(release.rows())) if name != "images"] + ["images"]
    public = [row for row in release.rows(names) if row["split"] == "test" and row["task"] == task]
    told = [row for row in opened.rows(names) if row["split"] == "test" and row["task"] == task]
    hits, asked, _ = _right_of_the_other_half(public, keys)
    most = int(binom.isf(1e-6, asked, chance))
    assert asked == 500
    assert hits <= most, f"{hits} of {asked}, chance {chance * asked:.0f}"
    assert _right_of_the_other_half(told, _original_keys(told))[0] > 0.95 * asked


def _original_keys(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the letters before options were reordered, which the withheld labels tell."""
    return {row["item_id"]: row["level"] for row in rows}


DECLINES = "I cannot say"
DECLINING = f"""\
name: declining
seed: {SECRET_SEED}
steps:
  - {{step: facts, file: facts.yaml}}
  - {{step: beyond_the_image, refusal: {DECLINES}}}
  - {{step: freeze, name: declining, version: "1.0", sealed: [test]}}
"""


def _write_questions(folder: Path, pictures: int) -> None:
    """Write pictures of noise, and facts that ask each one question that it cannot answer and three that it can."""
    rng = np.random.default_rng(8)
    (folder / "p").mkdir()
    facts: dict[str, Any] = {"format": "benchwright-facts", "version": 1, "images": {}}
    for number in range(pictures):
        pixels = rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)
        (folder / "p" / f"{number:03}.png").write_bytes(encode_png(pixels))

        def asked(name: str, more: dict[str, Any], wrong: int, number: int = number) -> dict[str, Any]:
            words = [str(word) for word in rng.permutation(WORDS)]
            right = {} if wrong == 3 else {"right": words[3]}
            return {"name": name, "ask": f"Which is it, {number} {words[4]}?", **more, **right, "wrong": words[:wrong]}

        facts["images"][f"{number:03}.png"] = {
            "size_wh": [48, 40],
            "unanswerable": [asked("a", {"why": "nonexistent_object"}, 3)],
            "answerable": [asked(name, {}, 2) for name in "bcd"],
        }
    (folder / "facts.yaml").write_text(yaml.safe_dump(facts), encoding="utf-8")


def test_nothing_public_tells_when_to_decline(tmp_path: Path) -> None:
    """600 sealed items in MM-SAP's way, of which 150 are right to decline; the attacker has the keys of every second.

    The forest gets all public columns but pictures and texts, and the place of the option that declines. Neither the
    right letter nor whether to decline is found more often than chance passes once in a million times; where the same
    items are open, both are.
    """
    from scipy.stats import binom

    _write_questions(tmp_path, 150)
    run_recipe(
        parse_recipe(DECLINING, "declining.yaml", tmp_path), images=tmp_path / "p", workspace=tmp_path / "w", workers=1
    )
    release = Release.open(tmp_path / "w" / "releases" / "declining-1.0")
    assert verify_release(release.path).ok
    opened = unsealed(release, read_answer_key(tmp_path / "w" / "keys" / "declining-1.0.key.json"))
    names = [name for name in next(iter(release.rows())) if name != "images"] + ["images"]
    public, told = list(release.rows(names)), list(opened.rows(names))
    assert {(row["answer"], row["refusal"]) for row in public} == {(None, None)}
    assert len(public) == 600
    for question, most_common in ((_right_letter, 0.25), (_declines, 0.75)):
        truth = np.array([question(row) for row in told])
        assert abs(np.unique(truth, return_counts=True)[1].max() / len(truth) - most_common) < 0.09
        hits = _found(public, truth)
        most = int(binom.isf(1e-6, 300, most_common))
        assert hits <= most, f"{hits} of 300 by {question.__name__}"
        assert _found(told, truth) > most


def _declining_letter(row: Mapping[str, Any]) -> str:
    return next(str(choice["key"]) for choice in row["choices"] if choice["text"] == DECLINES)


def _right_letter(row: Mapping[str, Any]) -> str:
    return str(row["answer"] or row["refusal"])


def _declines(row: Mapping[str, Any]) -> str:
    return str(row["answer"] is None)


def _found(rows: Sequence[Mapping[str, Any]], truth: np.ndarray) -> int:
    """Return how often a forest that was trained on every second item is right about the others."""
    from sklearn.ensemble import RandomForestClassifier

    places = [["ABCD".index(_declining_letter(row)), len(row["choices"])] for row in rows]
    letters = [[ord(row["answer"] or "@"), ord(row["refusal"] or "@")] for row in rows]
    features = np.hstack([_features(rows, leave_out=("refusal",)), places, letters])
    forest = RandomForestClassifier(300, random_state=5, n_jobs=1).fit(features[::2], truth[::2])
    return int((forest.predict(features[1::2]) == truth[1::2]).sum())


class Attack(NamedTuple):
    """The right answers of sealed items, and those that an attacker has found."""

    truth: dict[str, Any]
    answers: dict[str, Any]


RECIPE = """\
name: attacked
seed: {seed}
steps:
  - step: {task}
    {setting}
  - step: freeze
    name: attacked
    version: "1.0"
"""


@pytest.fixture
def attack(tmp_path: Path) -> Callable[[str, str, int], Attack]:
    """Return a function that seals a task's items and lets an attacker run its recipe on the pictures with a seed."""
    make_photographs(tmp_path / "photographs", count=12)

    def run(name: str, task: str, setting: str, seed: int, more: str = "") -> Release:
        text = RECIPE.format(seed=seed, task=task, setting=setting) + more
        recipe = parse_recipe(text, "attack.yaml", tmp_path)
        run_recipe(recipe, images=tmp_path / "photographs", workspace=tmp_path / name, workers=1)
        return Release.open(tmp_path / name / "releases" / "attacked-1.0")

    def sealed_and_rebuilt(task: str, setting: str, seed: int) -> Attack:
        release = run("secret", task, setting, SECRET_SEED, "    sealed: [test]\n")
        key = read_answer_key(tmp_path / "secret" / "keys" / "attacked-1.0.key.json")
        truth = {released.item.item_id: _telling(released.item) for released in unsealed(release, key).items()}
        rebuilt = [released.item for released in run(f"seed-{seed}", task, setting, seed).items()]
        return Attack(truth, _answers([released.item for released in release.items()], rebuilt))

    return sealed_and_rebuilt


@pytest.mark.parametrize("seed", [0, 1, GUESSABLE_SEEDS])
def test_whoever_runs_the_recipe_without_its_seed_gets_no_answer(
    attack: Callable[[str, str, int], Attack], seed: int
) -> None:
    """The attacker has the release, the recipe but for the seed, and the source images."""
    truth, answers = attack("visual_correspondence", "min_side_px: 96", seed)
    assert len(truth) >= 6
    assert answers == {}


def test_the_same_attack_with_the_seed_tells_everything(attack: Callable[[str, str, int], Attack]) -> None:
    """So it is the seed that has to be secret, and one that can be guessed is refused."""
    truth, answers = attack("visual_correspondence", "min_side_px: 96", SECRET_SEED)
    assert answers == truth


def _telling(item: Item) -> Any:
    """Return what is right about an item, whatever the order of its options: a picture, or the letter of a mark."""
    right = next(choice for choice in item.choices if choice.key == item.answer)
    return right.image_id or right.text


def _answers(sealed: list[Item], rebuilt: list[Item]) -> dict[str, Any]:
    """Return the answers that rebuilt items tell of sealed ones: of items that show the same pictures and marks, and of
    options that are a picture that is right in any of them."""
    by_content = {_content(item): _telling(item) for item in rebuilt}
    right = {item_right for item_right in by_content.values() if len(str(item_right)) == 64}
    answers = {item.item_id: by_content[_content(item)] for item in sealed if _content(item) in by_content}
    for item in sealed:
        answers.update((item.item_id, choice.image_id) for choice in item.choices if choice.image_id in right)
    return answers


def _content(item: Item) -> Any:
    return frozenset((image.image_id, image.prompts) for image in item.images)
