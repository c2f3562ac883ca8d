"""TARA: the quoted article, and others; dates without leading zeros, null among the gold fields, and a repeated URL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED = (
    '{"_id": "nyt://article/0000", '
    '"image_url": "https://static01.nyt.com/images/2017/05/23/world/23a/23a-superJumbo.jpg", '
    '"web_url": "https://www.nytimes.com/2017/05/23/world/x.html", "abstract": "Text.", "headline": {"main": "Title"}, '
    '"keywords": [{"name": "glocations", "value": "Manchester (England)"}], "date": "2017-5-23", '
    '"location": "Manchester, England, United Kingdom", "gold_time": "2017-5-23", "gold_time_suggest": "2017", '
    '"gold_location": "Manchester, England, United Kingdom", "gold_location_suggest": "United Kingdom"}'
)


def articles(count: int = 40) -> list[dict[str, Any]]:
    """Return the quoted article and others, of which some addresses do not end in .jpg."""
    rows = [json.loads(QUOTED)]
    for number in range(1, count):
        row = dict(rows[0])
        end = "" if number % 5 == 0 else ".jpg"
        row["image_url"] = f"https://static01.nyt.com/images/2018/1/{number}/a/b{number}{end}"
        row["date"] = ("2018", "2018-1", f"2018-1-{number % 28 + 1}")[number % 3]
        row["gold_time"] = None if number % 2 else "2018-2"
        row["gold_location"] = None
        rows.append(row)
    return rows


def write_tara(root: Path, count: int = 40) -> list[dict[str, Any]]:
    """Write two parts, the second of which names a photograph of the first again; return the rows of both."""
    base = root / "nyt_preprocessed"
    (base / "input").mkdir(parents=True)
    rows = articles(count)
    for part, some in {"train": rows[:30], "gold_dev": [*rows[30:], rows[3]]}.items():
        text = "".join(json.dumps(row) + "\n" for row in some)
        (base / "input" / f"{part}.jsonl").write_text(text, encoding="utf-8")
    for number, row in enumerate(rows):
        name = row["image_url"][len("https://static01.nyt.com/") :].replace("/", "-")
        save(base / "images" / (name if name.endswith(".jpg") else name + ".jpg"), 500 + number, 60, 40, "JPEG")
    return rows
