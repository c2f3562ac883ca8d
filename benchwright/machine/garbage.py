"""Python's collector of unreachable cycles, configured for commands and the processes that they start.

Most of their objects are modules' classes and functions, which live as long as the process. Python's defaults examine
them again after every 700 new objects, and several times as the process ends.
"""

from __future__ import annotations

import gc

_NEW_OBJECTS = 50_000


def collect_rarely() -> None:
    """Make Python examine objects only after 50,000 new ones; the default of 700 takes a tenth of a command's start."""
    gc.set_threshold(_NEW_OBJECTS)


def keep_to_the_end() -> None:
    """Exempt all existing objects from garbage collection.

    Before the end of a process, this avoids the search for cycles among these objects, which takes up to a quarter of a
    short command's time. Exit handlers run and objects without cycles are freed as usual. Before a fork, it also lets
    children share the objects' memory.
    """
    gc.freeze()
