"""The papers' exact answer readers, as alternatives to the robust one (`benchwright.replies.answers`).

Each reader follows its paper or repository exactly, including mistakes, to reproduce published numbers. For new scores,
use the robust reader; `benchmarks/readers.py` counts how often the two differ on real replies.

Checking a recipe requires only the readers' names; the modules, with their many patterns, load on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Choices = Sequence[tuple[str, str | None]]
Reader = Callable[[str, Choices], str | None]
"""Function from a reply and the item's options (key and text, None for a picture) to one option's key, or None."""


ROBUST = "robust"
"""Name of Benchwright's reader."""


def _robust(reply: str, choices: Choices) -> str | None:
    from ..answers import read_answer

    return read_answer(reply, choices).letter


def _mvp_bench(reply: str, choices: Choices) -> str | None:
    from . import mvp_bench

    words = {(text or "").strip().casefold(): key for key, text in choices}
    if words.keys() == {"yes", "no"}:
        answer = mvp_bench.yes_or_no(reply)
        return None if answer is None else words[answer]
    return _offered(mvp_bench.first_clause(reply), choices)


def _blink(reply: str, choices: Choices) -> str | None:
    from . import blink

    settled = blink.settled_choice(reply, [key for key, _ in choices])
    return None if settled is None else _offered(settled.strip("()"), choices)


def _ii_bench(reply: str, choices: Choices) -> str | None:
    from . import ii_bench

    texts = [text for _, text in choices if text is not None]
    return _offered(ii_bench.option_label(reply, texts if len(texts) == len(choices) else ()), choices)


def _offered(letter: str | None, choices: Choices) -> str | None:
    return letter if letter in {key for key, _ in choices} else None


READERS: dict[str, Reader] = {ROBUST: _robust, "blink": _blink, "ii-bench": _ii_bench, "mvp-bench": _mvp_bench}
"""Readers of letters, by name; all return None for a letter that is not among the item's options."""
