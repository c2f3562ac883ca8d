"""Reports and leaderboards of many systems and tasks: seconds, bytes, and screenshots for inspection.

    .venv/bin/python benchmarks/score_pages.py --folder /tmp/pages --systems 60 --tasks 60 --items 5000
    .venv/bin/python benchmarks/score_pages.py --folder /tmp/pages --grid --items 600 --shots

The release has items with four options, tasks of unequal length and pictures with the grain of photographs. Each system
is right by its ability, a separate effect in each task and the ease of the item; some replies end in misses, refusals,
truncation and errors. `--grid` makes 2, 12 and 60 systems with 3, 15 and 60 tasks each. `--shots` takes pictures of
both pages with Debian's Chromium at four widths and prints them to PDF.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import benchwright, cost_of, show
from numpy.typing import NDArray
from PIL import Image

from benchwright.canonical import bytes_digest, digest
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation
from benchwright.release import Release, write_release

WIDTHS = (390, 768, 1366, 1920)
_PAPER, _TALL = 1032, 2600
"""Pixels between the margins of landscape A4, and largest height of a picture."""
SYSTEMS, TASKS = (2, 12, 60), (3, 15, 60)
_OPERATION = Operation(step="score_pages", version=1, parameters={}, seed=1)
_FAMILIES = (
    "openai/gpt-large",
    "anthropic/claude",
    "gemini-pro",
    "qwen2.5-vl-72b-instruct",
    "internvl3",
    "llava-onevision",
)
_KINDS = ("relative_depth", "jigsaw", "counting", "visual_correspondence", "art_style", "spatial_relation", "reading")
_REASONS = ("The object on the left has the larger extent.", "I compared both regions.", "Judging by the shading, ")


def main() -> None:
    """Make the pages and print their cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="Where releases, results and pages are kept.")
    parser.add_argument("--systems", type=int, default=12)
    parser.add_argument("--tasks", type=int, default=5)
    parser.add_argument("--items", type=int, default=600)
    parser.add_argument("--grid", action="store_true", help="All nine sizes in place of one.")
    parser.add_argument("--shots", action="store_true", help="Take pictures of the pages.")
    given = parser.parse_args()
    sizes = [(s, t) for t in TASKS for s in SYSTEMS] if given.grid else [(given.systems, given.tasks)]
    for systems, tasks in sizes:
        show(measured(given.folder, systems, tasks, given.items, shots=given.shots))


def measured(folder: Path, systems: int, tasks: int, items: int, *, shots: bool) -> dict[str, Any]:
    """Return the cost of both pages of one size; release and results are made once."""
    release = folder / f"release-{tasks}x{items}"
    if not release.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write(release, tasks, items)
    results = folder / f"results-{systems}x{tasks}x{items}"
    if not results.exists():
        score_all(results, release, systems)
    pages = {name: folder / f"{name}-{systems}x{tasks}x{items}.html" for name in ("board", "report")}
    commands = {
        "board": ("leaderboard", results, "--out", pages["board"]),
        "report": ("report", results, "--release", release, "--out", pages["report"]),
    }
    document: dict[str, Any] = {"systems": systems, "tasks": tasks, "items": items}
    for name, command in commands.items():
        cost = cost_of(benchwright("evaluate", *command, "--json"))
        document[name] = {**cost.to_json(), "page_mb": round(pages[name].stat().st_size / 1e6, 2)}
    if shots:
        for name, page in pages.items():
            document[name]["overflow_px"] = take_pictures(page)
    return document


def write(folder: Path, tasks: int, count: int) -> Release:
    """Write a release; tasks of unequal length, one picture for each two items."""
    rng = np.random.default_rng(tasks)
    shares = rng.dirichlet([4.0] * tasks)
    names = [f"{_KINDS[k % len(_KINDS)]}{'' if k < len(_KINDS) else f'_{k // len(_KINDS) + 1}'}" for k in range(tasks)]
    task = np.sort(np.concatenate([np.arange(tasks), rng.choice(tasks, count - tasks, p=shares)]))
    files: dict[str, bytes] = {}
    records: dict[str, ImageRecord] = {}

    def picture(number: int) -> str:
        handle = io.BytesIO()
        Image.fromarray(_grain(number)).save(handle, "JPEG", quality=88)
        data = handle.getvalue()
        image_id = bytes_digest(data)
        files[image_id] = data
        records[image_id] = ImageRecord(
            image_id=image_id, width=384, height=288, media_type="image/jpeg", size_bytes=len(data),
            root_image_id=image_id,
        )  # fmt: skip
        return image_id

    def items() -> Iterator[tuple[Item, str]]:
        image_id = ""
        for number in range(count):
            image_id = picture(number) if number % 2 == 0 else image_id
            yield _item(number, names[task[number]], image_id, "ABCD"[rng.integers(4)]), "test"

    return write_release(
        folder, name="score-pages", version="1.0", items=list(items()), image=records.__getitem__,
        image_bytes=lambda record: files[record.image_id], operations=[_OPERATION], recipe={}, stages=[], agreement={},
        seed=1,
    )  # fmt: skip


def _grain(number: int) -> NDArray[np.uint8]:
    """Return a picture whose detail falls with frequency as in photographs."""
    rng = np.random.default_rng(number)
    fy, fx = np.fft.fftfreq(288)[:, None], np.fft.rfftfreq(384)[None]
    spectrum = rng.normal(size=(3, 288, 193)) + 1j * rng.normal(size=(3, 288, 193))
    waves = np.fft.irfft2(spectrum / np.maximum(np.hypot(fy, fx), 1 / 384) ** 1.2, s=(288, 384))
    waves = waves[0] + 0.3 * waves[1:].mean(axis=0) * np.array([[[-1.0]], [[0.0]], [[1.0]]])
    scaled = 128 + 50 * (waves - waves.mean()) / waves.std()
    pixels: NDArray[np.uint8] = np.clip(scaled, 0, 255).astype(np.uint8).transpose(1, 2, 0)
    return pixels


def _item(number: int, task: str, image_id: str, answer: str) -> Item:
    words = ("the red one", "the one on the left", "both of them", "neither of them")
    return Item(
        item_id=digest(["score pages", number])[:32],
        task=task,
        kind="multiple_choice",
        images=(ItemImage(image_id=image_id, role="view"),),
        question=f"Which of these is nearer to the camera in {number}?",
        choices=tuple(Choice(key=key, text=text) for key, text in zip("ABCD", words, strict=True)),
        answer=answer,
        root_image_id=image_id,
        operation_id=_OPERATION.operation_id,
        made_from=image_id,
        group_keys=(f"image:{number // 2}",),
    )


def score_all(results: Path, release: Path, systems: int) -> None:
    """Write the replies of each system to a file and score them."""
    import pyarrow.parquet as pq

    from benchwright.evaluation.run import evaluate

    columns = ["item_id", "task", "answer"]
    rows = [
        r for f in sorted((release / "data").glob("*.parquet")) for r in pq.read_table(f, columns=columns).to_pylist()
    ]
    rng = np.random.default_rng(7)
    ease = rng.normal(0, 0.22, len(rows))
    tasks = sorted({row["task"] for row in rows})
    results.mkdir()
    for number in range(systems):
        able = 0.83 - 0.32 * number / max(systems - 1, 1)
        own = dict(zip(tasks, rng.normal(0, 0.06, len(tasks)), strict=True))
        silent = (0.0, 0.01, 0.02, 0.004)[number % 4]
        path = results / f"system-{number:02}.jsonl"
        with path.open("w", encoding="utf-8") as handle:
            for row, item_ease in zip(rows, ease, strict=True):
                chance = np.clip(able + own[row["task"]] + item_ease, 0.02, 0.98)
                letter = row["answer"] if rng.random() < chance else "ABCD"[rng.integers(4)]
                reply = f"{_REASONS[rng.integers(3)]} The answer is ({letter})."
                if rng.random() < silent:
                    reply = ("", "I cannot help with that.", "It could be A or B.")[rng.integers(3)]
                handle.write(json.dumps({"item_id": row["item_id"], "reply": reply}) + "\n")
        name = f"{_FAMILIES[number % len(_FAMILIES)]}-{2023 + number % 4}-{number:02}"
        evaluate(Release.open(release), f"predictions:{path}", out=results, name=name)
        path.unlink()


def take_pictures(page: Path) -> dict[str, int]:
    """Take pictures of a page at each width and in print; return its overflow at each width, in pixels."""
    from playwright.sync_api import sync_playwright

    wider = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        for width in (*WIDTHS, _PAPER):
            opened = browser.new_page(viewport={"width": width, "height": 1000})
            opened.goto(page.resolve().as_uri())
            if width == _PAPER:
                opened.pdf(path=page.with_suffix(".pdf"), prefer_css_page_size=True)
                opened.emulate_media(media="print")
            name = "paper" if width == _PAPER else str(width)
            wider[name] = opened.evaluate("document.documentElement.scrollWidth - innerWidth")
            height = min(opened.evaluate("document.documentElement.scrollHeight"), _TALL)
            opened.screenshot(
                path=page.with_suffix(f".{name}.png"),
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": height},
            )
            opened.close()
        browser.close()
    return wider


if __name__ == "__main__":
    main()
