"""The input and output of rules that find faults in items: `ItemFacts`, `FaultRule`, `SetRule`, `ItemFault`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from benchwright.records import LETTERS, Choice, Item

from ..keys.explanations import ExplainedKey, StatedKey, stated_key

Severity = Literal["high", "medium", "low"]
Certainty = Literal["certain", "likely", "possible"]
Family = Literal["keys", "options", "given_away", "placeholders", "hidden_characters", "personal_data", "pictures"]
Needed = Literal["key", "options", "explanation", "pictures", "names", "metadata", "colors", "picture_text"]
"""Facts that a rule needs besides the question: the key, options in words, an explanation, the number of pictures,
their file names, statements in these files, whether the pictures have colors, or the text in them."""


class ItemPicture(NamedTuple):
    """A picture of an item.

    Args:
        name: Name of the picture's file in the source; empty if it has none.
        stated: What the file states about its content, by field (`EXIF ImageDescription`); None if unknown.
        is_grey: Whether the picture has no color; None if unknown.
        text: Lines of text in the picture; None if no reader was run on it.
    """

    name: str = ""
    stated: Mapping[str, str] | None = None
    is_grey: bool | None = None
    text: Sequence[str] | None = None


@dataclass(frozen=True)
class ItemFacts:
    """An item with additional facts about it.

    Args:
        item: The item.
        own_id: Id of the item in its source; empty if it has none there.
        pictures: Pictures of the item, in order; None if it is unknown how many pictures the item names.
        padded: Letters of options whose words have surrounding white space in the source, but not in the item.
        key_is_ambiguous: Whether the source states a key that is the text of several options.
    """

    item: Item
    own_id: str = ""
    pictures: Sequence[ItemPicture] | None = None
    padded: Sequence[str] = ()
    key_is_ambiguous: bool = False

    @cached_property
    def texts(self) -> Sequence[tuple[str, str]]:
        """Return the visible texts, each with its name: `question`, `option A`, `explanation`."""
        options = [(f"option {choice.key}", choice.text) for choice in self.item.choices]
        texts = [("question", self.item.question), *options, ("explanation", self.item.explanation)]
        return [(place, text) for place, text in texts if text]

    @cached_property
    def worded(self) -> Sequence[Choice]:
        """Return the options that are texts, in order."""
        return [choice for choice in self.item.choices if choice.text is not None]

    @cached_property
    def right(self) -> Choice | None:
        """Return the right option; None if the key is unknown."""
        return next((choice for choice in self.item.choices if choice.key == self.item.right_key), None)

    @cached_property
    def right_text(self) -> str | None:
        """Return the text of the right option; None if the key is unknown or the option is a picture."""
        return None if self.right is None else self.right.text

    @cached_property
    def wrong_texts(self) -> Sequence[str]:
        """Return the texts of the wrong options, in order; empty if the key is unknown."""
        return [] if self.right is None else [str(choice.text) for choice in self.worded if choice is not self.right]

    @cached_property
    def stated_key(self) -> StatedKey:
        """Return the key, with the option that the explanation explicitly states to be right."""
        texts = tuple(choice.text for choice in self.item.choices)
        key = LETTERS.index(str(self.item.right_key))
        return stated_key(ExplainedKey(self.item.item_id, self.item.explanation or "", texts, key))

    def has(self, needed: Needed) -> bool:
        """Return whether a fact that a rule requires is known."""
        return _IS_KNOWN[needed](self)


_IS_KNOWN: Mapping[Needed, Callable[[ItemFacts], bool]] = {
    "key": lambda facts: facts.right is not None,
    "options": lambda facts: len(facts.worded) > 1,
    "explanation": lambda facts: bool(facts.item.explanation),
    "pictures": lambda facts: bool(facts.pictures),
    "names": lambda facts: any(picture.name for picture in facts.pictures or ()),
    "metadata": lambda facts: any(picture.stated is not None for picture in facts.pictures or ()),
    "colors": lambda facts: bool(facts.pictures) and all(shown.is_grey is not None for shown in facts.pictures or ()),
    "picture_text": lambda facts: any(picture.text is not None for picture in facts.pictures or ()),
}


class ItemFault(NamedTuple):
    """A fault that a rule found in an item.

    Args:
        words: A description of the fault in one sentence that includes the evidence, up to 400 characters.
        evidence: JSON values that show the fault.
        severity: Severity if it differs from the rule's.
        certainty: Certainty if it differs from the rule's.
    """

    words: str
    evidence: Mapping[str, Any] = {}
    severity: Severity | None = None
    certainty: Certainty | None = None


class SetFault(NamedTuple):
    """A fault found by a rule that examines all items.

    Args:
        items: Indices of the items concerned among those given to the rule.
        words: A description of the fault in one sentence that includes the evidence.
        evidence: JSON values that show the fault.
        severity: Severity if it differs from the rule's.
        certainty: Certainty if it differs from the rule's.
    """

    items: Sequence[int]
    words: str
    evidence: Mapping[str, Any] = {}
    severity: Severity | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True)
class FaultRule:
    """A rule that examines one item.

    Args:
        kind: Name of the fault, in lowercase with `_`.
        family: Family of the rule.
        severity: `high`: the item cannot be scored correctly. `medium`: another option may be right, the right one is
            given away, or a person is named. `low`: worth fixing.
        what: The fault in a few words of Markdown, for the pages.
        find: Function from an item to its faults.
        needs: Facts about an item that the rule needs.
        certainty: Certainty of the rule, unless a fault has another.
        together: Whether all items form one finding, which describes the fault of each.
    """

    kind: str
    family: Family
    severity: Severity
    what: str
    find: Callable[[ItemFacts], Iterable[ItemFault]]
    needs: tuple[Needed, ...] = ()
    certainty: Certainty = "likely"
    together: bool = False

    def faults(self, facts: ItemFacts) -> Iterator[ItemFault]:
        """Yield the faults of an item; nothing if a fact that the rule requires is unknown."""
        if all(facts.has(needed) for needed in self.needs):
            yield from self.find(facts)


@dataclass(frozen=True)
class SetRule:
    """A rule that examines all items of a set together; its fields are those of `FaultRule`.

    `find` receives all items with the facts that the rule needs, in the order of their source. `look` extracts from
    each item the data that `find` needs. Callers may run it earlier, to omit items on which it raises an exception.
    """

    kind: str
    family: Family
    severity: Severity
    what: str
    find: Callable[[Sequence[ItemFacts]], Iterable[SetFault]]
    needs: tuple[Needed, ...] = ()
    certainty: Certainty = "likely"
    look: Callable[[ItemFacts], object] | None = None

    def look_at(self, facts: ItemFacts) -> object:
        """Return the data that `find` needs from one item; callers can omit an item on which this raises an error."""
        return self.look(facts) if self.look is not None and all(map(facts.has, self.needs)) else None

    def faults(self, items: Sequence[ItemFacts]) -> Iterator[SetFault]:
        """Yield the faults; their items are indices in `items`."""
        places = [place for place, facts in enumerate(items) if all(facts.has(needed) for needed in self.needs)]
        for fault in self.find([items[place] for place in places]):
            yield fault._replace(items=[places[place] for place in fault.items])


def excerpt(text: str, start: int = 0, stop: int | None = None, *, around: int = 40) -> str:
    """Return part of a text with a few surrounding characters, on one line."""
    stop = len(text) if stop is None else stop
    first, last = max(0, start - around), min(len(text), stop + around)
    words = " ".join(text[first:last].split())
    return ("…" if first else "") + words[:200] + ("…" if last < len(text) or len(words) > 200 else "")
