"""What rules about faults of items look at, and what they say: `ItemFacts`, `FaultRule`, `SetRule`, `ItemFault`."""

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
"""What a rule must know of an item to say anything of it: its key, options in words, an explanation, how
many pictures it has, names of their files, what these files state, whether pictures have colors, or the text in them.
The words of its question it knows."""


class ItemPicture(NamedTuple):
    """A picture of an item.

    Args:
        name: Name of its file as the source gives it; empty where it has none.
        stated: What the file says of what it shows, by field (`EXIF ImageDescription`); None where that is not known.
        is_grey: Whether it has no color; None where that is not known.
        text: Lines of text in it; None where nobody read it.
    """

    name: str = ""
    stated: Mapping[str, str] | None = None
    is_grey: bool | None = None
    text: Sequence[str] | None = None


@dataclass(frozen=True)
class ItemFacts:
    """An item with what is known of it besides.

    Args:
        item: The item.
        own_id: Its id in its source; empty where that has none.
        pictures: Its pictures, in order; None where it is not known how many it names.
        padded: Letters of options around whose words the source has white space, which the item has not.
        key_is_ambiguous: Whether its source states a key that is the text of several options.
    """

    item: Item
    own_id: str = ""
    pictures: Sequence[ItemPicture] | None = None
    padded: Sequence[str] = ()
    key_is_ambiguous: bool = False

    @cached_property
    def texts(self) -> Sequence[tuple[str, str]]:
        """Return the texts that people read, each with its place: `question`, `option A`, `explanation`."""
        options = [(f"option {choice.key}", choice.text) for choice in self.item.choices]
        texts = [("question", self.item.question), *options, ("explanation", self.item.explanation)]
        return [(place, text) for place, text in texts if text]

    @cached_property
    def worded(self) -> Sequence[Choice]:
        """Return the options in words, in order."""
        return [choice for choice in self.item.choices if choice.text is not None]

    @cached_property
    def right(self) -> Choice | None:
        """Return the right option; None where no key is known."""
        return next((choice for choice in self.item.choices if choice.key == self.item.right_key), None)

    @cached_property
    def right_text(self) -> str | None:
        """Return the text of the right option; None where no key is known or the option is a picture."""
        return None if self.right is None else self.right.text

    @cached_property
    def wrong_texts(self) -> Sequence[str]:
        """Return the texts of the wrong options, in order; none where no key is known."""
        return [] if self.right is None else [str(choice.text) for choice in self.worded if choice is not self.right]

    @cached_property
    def stated_key(self) -> StatedKey:
        """Return the key with the option that the explanation calls right in so many words."""
        texts = tuple(choice.text for choice in self.item.choices)
        key = LETTERS.index(str(self.item.right_key))
        return stated_key(ExplainedKey(self.item.item_id, self.item.explanation or "", texts, key))

    def has(self, needed: Needed) -> bool:
        """Return whether it is known what a rule needs."""
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
    """What a rule found wrong with an item.

    Args:
        words: What is wrong, in one sentence with the evidence in it, up to 400 characters.
        evidence: JSON values that show it.
        severity: Severity where it differs from the rule's.
        certainty: Certainty where it differs from the rule's.
    """

    words: str
    evidence: Mapping[str, Any] = {}
    severity: Severity | None = None
    certainty: Certainty | None = None


class SetFault(NamedTuple):
    """What a rule over all items found.

    Args:
        items: The items concerned, by their place among those that the rule was given.
        words: What is wrong, in one sentence with the evidence in it.
        evidence: JSON values that show it.
        severity: Severity where it differs from the rule's.
        certainty: Certainty where it differs from the rule's.
    """

    items: Sequence[int]
    words: str
    evidence: Mapping[str, Any] = {}
    severity: Severity | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True)
class FaultRule:
    """A rule that looks at one item.

    Args:
        kind: What is wrong, in small letters with `_`.
        family: Family that the rule belongs to.
        severity: `high`: the item cannot be scored rightly. `medium`: another option may be right, or the right one is
            given away; or people are named. `low`: worth mending.
        what: What it finds, in a few words of Markdown, for the pages.
        find: Function from an item to what is wrong with it.
        needs: What must be known of an item.
        certainty: How sure it is, unless a fault says otherwise.
        together: Whether all items make one finding, which says of each what is wrong.
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
        """Yield what is wrong with an item; nothing where what the rule needs is not known."""
        if all(facts.has(needed) for needed in self.needs):
            yield from self.find(facts)


@dataclass(frozen=True)
class SetRule:
    """A rule that looks at all items of a set at once; its fields are those of `FaultRule`.

    `find` gets all items for which is known what the rule needs, in the order of their source. What it needs to see of
    each item alone `look` looks at, which may be called before, so that an item on which it raises can be left out.
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
        """Return what `find` will need to see of one item; an item on which this raises can be left out."""
        return self.look(facts) if self.look is not None and all(map(facts.has, self.needs)) else None

    def faults(self, items: Sequence[ItemFacts]) -> Iterator[SetFault]:
        """Yield what is wrong, with items by their place in `items`."""
        places = [place for place, facts in enumerate(items) if all(facts.has(needed) for needed in self.needs)]
        for fault in self.find([items[place] for place in places]):
            yield fault._replace(items=[places[place] for place in fault.items])


def excerpt(text: str, start: int = 0, stop: int | None = None, *, around: int = 40) -> str:
    """Return a part of a text with a few characters around it, on one line."""
    stop = len(text) if stop is None else stop
    first, last = max(0, start - around), min(len(text), stop + around)
    words = " ".join(text[first:last].split())
    return ("…" if first else "") + words[:200] + ("…" if last < len(text) or len(words) > 200 else "")
