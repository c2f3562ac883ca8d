"""The minimal work of a whole job, with its libraries' own calls: the peers of the jobs of `whole_jobs.py`.

The first word selects the job; paths follow.

    plain_jobs.py hash PICTURES OUT      # ImageHash's code of every picture, and all pairs within 8 bits
    plain_jobs.py make PICTURES OUT      # decode, warp and encode what two items a picture show
    plain_jobs.py score RELEASE LETTERS  # PyArrow: join letters and keys, accuracy by task
    plain_jobs.py page RELEASE OUT       # decode, reduce and encode every picture of a release
    plain_jobs.py start                  # import what a run imports
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

_PAGE_PX = 320


def hash_pictures(pictures: Path, out: Path) -> None:
    """Write the pairs of pictures whose codes differ in at most 8 bits of 64."""
    import imagehash
    from PIL import Image

    paths = sorted(path for path in pictures.rglob("*") if path.is_file())
    codes = []
    for path in paths:
        with Image.open(path) as image:
            codes.append((path.name, imagehash.phash(image)))
    pairs = [f"{a} {b}\n" for (a, x), (b, y) in itertools.combinations(codes, 2) if x - y <= 8]
    out.write_text("".join(pairs), encoding="utf-8")


def make_items(pictures: Path, out: Path) -> None:
    """Write the pictures of a jigsaw and a correspondence item of each picture: itself, a warped view and two tiles."""
    import cv2
    import numpy as np
    from PIL import Image

    out.mkdir()
    for number, path in enumerate(sorted(path for path in pictures.rglob("*") if path.is_file())):
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))
        high, wide = pixels.shape[:2]
        moved = np.array([[0.97, 0.02, 3], [-0.02, 0.96, 5], [1e-5, 0, 1]])
        views = pixels, cv2.warpPerspective(pixels, moved, (wide, high))
        tiles = pixels[high // 2 :, wide // 2 :], pixels[: high // 2, : wide // 2]
        for place, made in enumerate((*views, *tiles)):
            Image.fromarray(np.ascontiguousarray(made)).save(
                out / f"{number:06d}-{place}.jpg", quality=95, subsampling=0
            )


def score_letters(release: Path, letters: Path) -> None:
    """Print accuracy by task."""
    import pyarrow.compute as pc
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    said = pj.read_json(letters).rename_columns({"answer": "letter"})
    asked = pq.read_table(release / "data", columns=["item_id", "task", "answer"]).join(said, "item_id")
    right = pc.equal(asked["letter"], asked["answer"]).cast("int8")
    print(asked.append_column("right", right).group_by("task").aggregate([("right", "mean")]).to_pylist())


def write_page(release: Path, out: Path) -> None:
    """Write every picture of a release at the size of a page."""
    import io

    import pyarrow.parquet as pq
    from PIL import Image

    out.mkdir()
    for path in sorted((release / "data").iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(16, columns=["images"]):
            for cell in itertools.chain.from_iterable(batch.column(0).to_pylist()):
                if (target := out / f"{Path(cell['path']).stem}.jpg").exists():
                    continue
                with Image.open(io.BytesIO(cell["bytes"])) as image:
                    shown = image.convert("RGB")
                shown.thumbnail((_PAGE_PX, _PAGE_PX))
                shown.save(target, quality=85)


def start() -> None:
    """Import the same modules as a run."""
    from benchwright.pipeline import run_recipe

    assert run_recipe


def main() -> None:
    """Do one job."""
    name, *paths = sys.argv[1:]
    {"hash": hash_pictures, "make": make_items, "score": score_letters, "page": write_page, "start": start}[name](
        *map(Path, paths)
    )


if __name__ == "__main__":
    main()
