"""Composition of a picture's facts: annotators' marks and statements take precedence over a facts file.

Annotators take precedence over the file per picture and key: their background replaces the file's, and the file's
questions remain if annotators wrote none. The subject's name joins its marks and statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchwright.settings.yaml_places import Path_

from .checks import mistakes_in
from .marked_subjects import MarkedSubject, in_words, marked_subjects
from .picture_facts import PictureFacts, Subject
from .statements import Authorship, PictureRegions, StatedSubject, StatementsOnPicture

FILE = "file"
"""Origin given for statements of a facts file, in place of a campaign's name."""
_QUESTIONS = ("unanswerable", "answerable")
_PLACES = {"implication": ("implication/question", "implication/image_type")}
"""Locations of statements whose author counts as the author of a whole key, if the locations differ from the key."""
_KEYS = ("background", "unanswerable", "answerable", "implication", "pairs")


@dataclass(frozen=True)
class ComposedFacts:
    """The facts of one picture, with their authors.

    Args:
        picture: The facts.
        stated_by: Names of campaigns, or `file`, for each key for which there are facts.
        authors: Author of each annotator's statement, by its place, such as `unanswerable/taste`.
        left_out: Unusable marks and statements, each with the reason.
        is_simulated: Whether any facts come from simulated annotators.
    """

    picture: PictureFacts
    stated_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    authors: Mapping[str, Authorship] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    is_simulated: bool = False


def composed_facts(
    filed: PictureFacts | None, marked: Mapping[str, PictureRegions], stated: Mapping[str, StatementsOnPicture]
) -> ComposedFacts:
    """Return the facts of one picture.

    Args:
        filed: The file's facts; None if no file describes the picture.
        marked: Annotators' marks, by campaign.
        stated: Annotators' statements, by campaign; if two campaigns state the same key, the first takes precedence.
    """
    document: dict[str, Any] = {}
    if filed is not None:
        document = {name: getattr(filed, name) for name in PictureFacts.model_fields}
    stated_by: dict[str, tuple[str, ...]] = {}
    authors: dict[str, Authorship] = {}
    for key in _KEYS:
        if document.get(key):
            stated_by[key] = (FILE,)
        for campaign, statements in stated.items():
            if value := getattr(statements, key):
                document[key], stated_by[key] = value, (campaign,)
                authors |= _authors(key, value, statements)
                break
    subjects, by, left_out = _subjects(filed, marked, stated)
    document["subjects"] = subjects
    if subjects:
        stated_by["subjects"] = by
    for name in ("also", "source"):
        if told := [value for statements in stated.values() if (value := getattr(statements, name))]:
            document[name] = told[0]
    if marked and document.get("size_wh") is None:
        document["size_wh"] = next(iter(marked.values())).size_wh
    return ComposedFacts(
        picture=PictureFacts.model_construct(**document),
        stated_by=dict(sorted(stated_by.items())),
        authors=authors,
        left_out=left_out,
        is_simulated=any(picture.is_simulated for picture in marked.values())
        or any(author.written_in.simulated for author in authors.values()),
    )


def _authors(key: str, value: Any, statements: StatementsOnPicture) -> dict[str, Authorship]:
    """Return the authors of a key's statements: one for each question, and one for any other key as a whole."""
    places: dict[str, tuple[str, ...]]
    if key in _QUESTIONS:
        places = {f"{key}/{question.name}": (f"{key}/{question.name}",) for question in value}
    else:
        places = {key: _PLACES.get(key, (key,))}
    found = {place: [statements.author(part) for part in parts] for place, parts in places.items()}
    return {place: next(filter(None, authors)) for place, authors in found.items() if any(authors)}


def _subjects(
    filed: PictureFacts | None, marked: Mapping[str, PictureRegions], stated: Mapping[str, StatementsOnPicture]
) -> tuple[tuple[Subject, ...], tuple[str, ...], dict[str, str]]:
    """Return the subjects, their origins, and the omitted names with the reason."""
    of_file = {subject.name: subject for subject in filed.subjects} if filed is not None else {}
    words = {
        subject.name: (campaign, subject)
        for campaign, statements in reversed(list(stated.items()))
        for subject in statements.subjects
    }
    places, left_out = marked_subjects(marked.values())
    if not places:
        is_nothing = any(picture.is_nothing for picture in marked.values())
        places = _places_of_file(filed, main_only=is_nothing)
        by = {FILE} if places else set()
    else:
        by = {campaign for campaign, picture in marked.items() if picture.regions}
    subjects: list[Subject] = []
    for place in places:
        filed_subject = of_file.get(place.name)
        campaign, stated_subject = words.pop(place.name, (None, None))
        subject = in_words(place, stated_subject, filed_subject, _onto(stated_subject, filed_subject))
        if subject is None:
            left_out[place.name] = f"several subjects are called {place.label!r}; state a phrase for each of them"
            continue
        subjects.append(subject)
        if campaign is not None:
            by.add(campaign)
        elif filed_subject is not None:
            by.add(FILE)
    left_out |= dict.fromkeys(words, "stated, but not marked in the picture")
    return tuple(subjects), tuple(sorted(by)), left_out


def _places_of_file(filed: PictureFacts | None, *, main_only: bool) -> list[MarkedSubject]:
    """Return the file's subjects for a picture without marked subjects, whose marks serve another purpose.

    Args:
        filed: The file's facts.
        main_only: Whether annotators agreed that the picture has nothing to mark. Then only the main subject of `pairs`
            remains, which identifies a picture that lends its background and needs no outline.
    """
    if filed is None:
        return []
    main = filed.pairs.subject if filed.pairs is not None else None
    subjects = [subject for subject in filed.subjects if not main_only or subject.name == main]
    return [MarkedSubject(subject.name, subject.name, subject.box) for subject in subjects]


def _onto(stated: StatedSubject | None, filed: Subject | None) -> tuple[str, ...]:
    if stated is not None and stated.onto:
        return stated.onto
    return filed.cut_out.onto if filed is not None and filed.cut_out is not None else ()


def with_other_pictures_named(picture: PictureFacts, key_of: Mapping[str, str]) -> PictureFacts:
    """Return facts that refer to other pictures by their keys.

    Args:
        picture: Facts of one picture.
        key_of: Key of each picture by its other names; unlisted names stay as they are.
    """

    def keys(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(key_of.get(name, name) for name in names)

    subjects = tuple(
        subject
        if subject.cut_out is None or not subject.cut_out.onto
        else subject.model_copy(
            update={"cut_out": subject.cut_out.model_copy(update={"onto": keys(subject.cut_out.onto)})}
        )
        for subject in picture.subjects
    )
    pairs = picture.pairs
    if pairs is not None:
        backgrounds = {category: keys(names) for category, names in pairs.backgrounds.items()}
        swaps = tuple(
            swap if swap.by is None else swap.model_copy(update={"by": key_of.get(swap.by, swap.by)})
            for swap in pairs.swaps
        )
        pairs = pairs.model_copy(update={"backgrounds": backgrounds, "swaps": swaps})
    return picture.model_copy(update={"subjects": subjects, "pairs": pairs})


def without_mistakes(
    pictures: Mapping[str, PictureFacts],
) -> tuple[dict[str, PictureFacts], dict[str, dict[str, str]]]:
    """Return facts without contradictions, and the parts omitted from each picture with the reason.

    Such mistakes in a file cause its refusal before anything runs. Statements from the app are combined only during the
    run, which a single wrong name must not stop.
    """
    sound = dict(pictures)
    left_out: dict[str, dict[str, str]] = {}
    # A mistake without a place in the picture is one of its name, which the caller chose.
    while mistakes := [mistake for mistake in mistakes_in(sound) if len(mistake[0]) > 1]:
        by_picture: dict[str, dict[Path_, str]] = {}
        for (key, *path), _, why in mistakes:
            by_picture.setdefault(str(key), {}).setdefault(_smallest_part(tuple(path)), why)
        for key, parts in by_picture.items():
            document = sound[key].model_dump()
            # From the end of each list, so that earlier places stay valid.
            for part in sorted(parts, key=lambda path: [(isinstance(step, int), step) for step in path], reverse=True):
                left_out.setdefault(key, {})[_called(document, part)] = parts[part]
                _remove(document, part)
            sound[key] = PictureFacts.model_validate(document)
    return sound, left_out


_PARTS: tuple[tuple[tuple[str | None, ...], int], ...] = (
    (("subjects", None, "cut_out", "mask"), 4),
    (("subjects", None, "cut_out"), 5),
    (("subjects", None), 2),
    (("unanswerable", None), 2),
    (("answerable", None), 2),
    (("implication", "question"), 2),
    (("pairs", "swaps"), 3),
    (("pairs", "backgrounds"), 4),
    (("pairs", "looks"), 2),
)
"""Start of a location in a picture's facts, with None for an index, and the length of the part to remove whole."""


def _smallest_part(path: Path_) -> Path_:
    """Return the location of the smallest part of a picture's facts to remove for a wrong value at a location."""
    for beginning, length in _PARTS:
        if len(path) >= len(beginning) and all(
            step == wanted or wanted is None for step, wanted in zip(path, beginning, strict=False)
        ):
            return path[:length]
    return path[:1]


def _called(document: Mapping[str, Any], path: Path_) -> str:
    """Return a readable location of a part, with the name of a subject or question in place of its index."""
    words: list[str] = []
    value: Any = document
    for step in path:
        value = value[step]
        named = value.get("name") if isinstance(step, int) and isinstance(value, Mapping) else None
        words.append(str(value if isinstance(step, int) and isinstance(value, str) else named or step))
    return ".".join(words)


def _remove(document: Any, path: Path_) -> None:
    """Remove a part from facts as plain values: an entry of a list, a key of a mapping, or a field."""
    *above, last = path
    places: list[Any] = [document]
    for step in above:
        places.append(places[-1][step])
    value = places[-1]
    if isinstance(last, int):
        places[-2][above[-1]] = tuple(entry for number, entry in enumerate(value) if number != last)
    elif above and above[-1] == "backgrounds":
        del value[last]
    elif isinstance(value[last], Mapping) and last == "looks":
        value[last] = {}
    else:
        value[last] = () if isinstance(value[last], list | tuple) else None
