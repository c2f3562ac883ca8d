"""A user's folder with a table."""

from __future__ import annotations

from pathlib import Path

from dataset_fixtures.pictures import save

HEADER = "image,source_url,licence,author,retrieved_at,caption"


def write_folder(root: Path, *lines: str, count: int = 40) -> None:
    """Write pictures and a CSV table, with further lines."""
    rows = [HEADER]
    for number in range(count):
        save(root / "photos" / f"{number}.jpg", number, 30, 20 + number)
        address, day = f"https://example.org/{number}", f"2026-11-{number % 28 + 1:02}"
        rows.append(f'photos/{number}.jpg,{address},CC0,"Person, A.",{day},A cup.')
    (root / "images.csv").write_text("\n".join([*rows, *lines]), encoding="utf-8-sig")
