"""Take the screenshot of the audit page in the guides: `make screenshots`, or `python examples/audit_page.py FOLDER`.

Writes a quiz about the demo's photographs, which have the flaws of any raw folder (a duplicate file, a smaller copy, a
broken download), with the typical faults of such a file of questions, audits it, and shows the page in Chromium. With
`--quiz` it only writes the quiz, for manual trials.
"""

from __future__ import annotations

import argparse
import csv
import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from benchwright.audit import audit
from benchwright.cli.demo import prepare_photographs

SIZE = {"width": 1280, "height": 1000}
QUIZ = (
    ("q1", "What hangs on both sides of the roof?", "dragons", "lamps", "bells", "flags", "A", "china.jpg", "dev"),
    ("q2", "What color are the columns?", "red", "blue", "white", "green", "A", "china-small.jpg", "test"),
    ("q3", "What stands on the saucer?", "a glass", "a cup", "a bowl", "a jug", "B", "coffee.png", "test"),
    ("q4", "What lies beside the cup?", "a spoon", "a knife", "a fork", "a pen", "A", "coffee (1).png", "test"),
    ("q5", "What color are the cat's eyes?", "green", "blue", "Green", "black", "A", "chelsea.png", "test"),
    ("q6", "Which animal is it?", "a dog", "a cat", "a fox", "an owl", "B", "chelsea.bmp", "dev"),
    ("q7", "What starts into the sky?", "a kite", "a plane", "a rocket", "a bird", "C", "rocket-download.jpg", "test"),
    ("q8", "What do we see of the flower?", "petals", "roots", "leaves", "seeds", "A", "flower.jpg", "test"),
    ("q9", "What do we see of the flower?", "petals", "roots", "leaves", "seeds", "C", "flower.jpg", "test"),
    (
        "q10",
        "Which coins are the coins in the picture?",
        "old coins",
        "new coins",
        "keys",
        "rings",
        "A",
        "coins.png",
        "test",
    ),
    ("q11", "What does the person wear?", "a suit", "a coat", "a dress", "", "A", "astronaut.png", "test"),
    ("q12", "", "left", "right", "", "", "A", "camera.png", "test"),
)


def write_quiz(folder: Path) -> Path:
    """Write photographs and quiz into a folder and return the quiz's file."""
    prepare_photographs(folder / "photographs")
    file = folder / "quiz.csv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("id", "question", "A", "B", "C", "D", "answer", "image", "split"))
        writer.writerows(QUIZ)
    return file


def main() -> None:
    """Write the quiz, or take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quiz", action="store_true", help="only write photographs and quiz.csv into the folder")
    options = parser.parse_args()
    if options.quiz:
        write_quiz(options.folder)
        return
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        report = audit(write_quiz(Path(name)), Path(name) / "audit-quiz")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto(Path(str(report.page)).as_uri())
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(256).save(options.folder / f"audit{ending}.png", optimize=True)
            if not ending:
                page.locator("#contradicting_keys").scroll_into_view_if_needed()
                page.evaluate("document.getElementById('high').scrollIntoView()")
                picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                picture.quantize(256).save(options.folder / "audit-findings.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
