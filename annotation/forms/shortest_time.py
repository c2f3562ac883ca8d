"""The shortest believable time for a task: no annotator who looks at the pictures and reads the text is faster.

It is deliberately too short rather than too long, so that a mark against an annotator's work is reliable. Each part is
based on the highest speed that people reach:

- A response takes `_RESPONSE_S`. When people judge whether a photograph shows an animal, they release a key 0.38 to
  0.57 s after it appears, and hardly ever within 0.3 s (Thorpe, Fize and Marlot 1996, "Speed of processing in the human
  visual system", doi:10.1038/381520a0).
- A picture takes `_PICTURE_S`, about one glance: fixations in scenes last 0.26 to 0.33 s (Rayner 2009, "Eye movements
  and attention in reading, scene perception, and visual search", doi:10.1080/17470210902816461). That suffices for the
  gist, which people grasp of pictures shown for 0.125 s (Potter 1975, doi:10.1126/science.1145183).
- A word takes 1 / `_WORDS_PER_S`. Adults read silently 238 words a minute (Brysbaert 2019, "How many words do we read
  per minute?", doi:10.1016/j.jml.2019.104047); two and a half times that is scanning for a word, faster than skimming
  (Carver 1990, "Reading rate: a review of research and theory": 600 and 450 words a minute).

Texts that recur in every task, such as "Which piece fits?", are read once and then known, and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .payloads import item_in
from .task_content import TaskContent

_RESPONSE_S = 0.3
"""Seconds from seeing to pressing a key."""
_PICTURE_S = 0.25
"""Seconds that a glance at one picture takes."""
_WORDS_PER_S = 10.0
"""Highest reading speed, in words per second."""


def shortest_time_s(content: TaskContent, *, known: Collection[str] = ()) -> float:
    """Return the shortest believable time for a task in seconds, at least `_RESPONSE_S`.

    It counts the pictures, and the words of the question and of choices that are texts. Spaces separate words, so that
    in a language without spaces, such as Chinese, the time is shorter still. An annotator may rightly decide a task
    without reading all of it; one decision below this time proves nothing, but many such decisions do.

    Args:
        content: Content of the task.
        known: Texts that the annotator knows from other tasks, which are left out; default none.

    Example:
        >>> shortest_time_s(TaskContent(task="count", question="How many of the cups on the table are blue?"))
        1.2
    """
    texts = [content.question, *(choice.text for choice in content.choices if choice.text is not None)]
    return _seconds(texts, len(content.images), known)


def is_too_fast(active_s: float | None, shortest_s: float | None) -> bool:
    """Return whether a decision took less than the shortest believable time; False if either is unknown."""
    return active_s is not None and shortest_s is not None and active_s < shortest_s


def shortest_times(payloads: Iterable[Mapping[str, Any]]) -> list[float]:
    """Return the shortest believable times, in seconds, for tasks that were opened together, given their payloads.

    Texts that several of them share are regarded as known. Parts of a payload outside its content are ignored.
    """
    contents = [_content(payload) for payload in payloads]
    times = Counter(text for texts, _ in contents for text in set(texts))
    known = {text for text, count in times.items() if count > 1}
    return [_seconds(texts, pictures, known) for texts, pictures in contents]


def _content(payload: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the texts and the number of pictures in a payload; no record is created, since payloads may be many."""
    item = item_in(payload)
    texts = [item.get("question"), *(choice.get("text") for choice in item.get("choices") or ())]
    return [text for text in texts if isinstance(text, str)], len(item.get("images") or ())


def _seconds(texts: Sequence[str], pictures: int, known: Collection[str]) -> float:
    words = sum(len(text.split()) for text in texts if text not in known)
    return round(_RESPONSE_S + _PICTURE_S * pictures + words / _WORDS_PER_S, 3)
