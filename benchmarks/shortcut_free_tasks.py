"""What cheats make of the tasks' items, in mode `hardened` and in mode `paper`.

    python benchmarks/shortcut_free_tasks.py --folder DIR --images DIR [--task NAME ...] [--records 1200] [--seeds 101]

makes items of each task, of photographs (those of the demo, and a folder's) or of annotations with the biases of real
ones, and puts them through the shortcut battery. Seeds are to be others than were used while a task was written. It
prints one JSON document: for each task and mode the number of items, and the solvers that lie farthest from chance. A
solver carries where its share lies more than 0.05 from chance and is significant after Holm's correction.
"""

from __future__ import annotations

import items_of_marks
import items_of_models
import items_of_pictures
from items_of_pictures import Maker


def _of_marks(maker: items_of_marks.Maker) -> Maker:
    """Return a maker that needs no photographs, as one that gets some."""
    return lambda folder, _, seed, records, mode: maker(folder, seed, records, mode)


ITEMS: dict[str, Maker] = {
    **items_of_pictures.ITEMS,
    **items_of_models.ITEMS,
    **{name: _of_marks(maker) for name, maker in items_of_marks.ITEMS.items()},
}
"""Makers of items by task."""
FARTHEST = 6
"""Solvers named for each task."""
