"""Captions that fit a picture or do not: a right and a wrong one, two of each, or one with a label."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.source_files.rows import BadRow

from ..mapping.cell_values import list_in
from ..mapping.columns import FIELDS
from ..mapping.readings import KnownKey
from .layout import NOTHING, Entry, Layout, PlainRow, named, part_of, without

WHICH_CAPTION = "Which caption fits the picture?"
WHICH_PICTURE = "Which picture fits the caption?"
_PAIRS = (
    ("caption", "negative_caption"), ("caption", "neg_caption"), ("positive_caption", "negative_caption"),
    ("true_caption", "false_caption"), ("caption", "foil"), ("pos_caption", "neg_caption"),
    ("caption", "negative_captions"), ("correct_caption", "incorrect_caption"), ("caption", "hard_negative"),
    ("caption", "hard_negatives"), ("caption", "hard_negs"), ("pos", "neg"),
)  # fmt: skip
CAPTION_OPTIONS = "caption_options"
FIRST_CAPTION = "first_caption"
"""Column that a curator can state as the key if, by convention, the first of several captions is right."""
NO_CAPTION_MARKED = (
    "no caption is marked as right; if the first always is, as in What'sUp, state it: "
    f"--column answer={FIRST_CAPTION} (in a recipe's mapping answer: {FIRST_CAPTION})"
)
WRONG_CAPTIONS = tuple(wrong for _, wrong in _PAIRS)
_SHORT = ("pos", "neg")
_SQUARE = ("image_0", "image_1", "caption_0", "caption_1")
CLAIM_COLUMNS = ("caption", "statement", "claim", "sentence", "hypothesis", "assertion")
_LABELS = ("label", "answer", "gt", "truth", "is_true", "gold_label", "target", "correct")
_YES = frozenset({"1", "true", "yes", "1.0", "entailment"})
_NO = frozenset({"0", "false", "no", "0.0", "contradiction"})


def _pair(entry: Entry) -> tuple[str, str] | None:
    """Return the columns of the right and the wrong caption; None if an entry does not have both."""
    columns = named(entry)
    found = next((pair for pair in _PAIRS if all(name in columns for name in pair)), None)
    if found == _SHORT and not all(isinstance(entry[columns[name]], list) for name in found):
        return None  # parts of speech, and other data under this name
    return None if found is None else (columns[found[0]], columns[found[1]])


def _pair_taken(entry: Entry) -> frozenset[str]:
    return NOTHING if (pair := _pair(entry)) is None or _asks(entry) else frozenset(pair)


def _pair_rows(entry: Entry) -> Iterator[PlainRow]:
    pair = _pair(entry)
    assert pair is not None
    right, wrong = (entry[name] for name in pair)
    wrongs = list_in(wrong)
    if wrongs is None and isinstance(wrong, str) and wrong.lstrip().startswith(("['", '["')):
        raise BadRow(f"{pair[1]} is an unreadable list: {wrong[:80]}")
    rights = right if isinstance(right, list) else [right]
    rest = without(entry, frozenset(pair))
    for number, caption in enumerate(rights, start=1):
        options = [caption, *([wrong] if wrongs is None else wrongs)]
        # A caption may be a letter or a number, and is still its own key.
        row = {**rest, "question": WHICH_CAPTION, "options": options, "answer": caption and KnownKey(caption, "text")}
        yield PlainRow(f", caption {number}" if len(rights) > 1 else "", row)
    if not rights:
        raise BadRow(f"{pair[0]} lists no caption")


def _choice(entry: Entry) -> str | None:
    """Return the column of captions if the file does not state which caption is right; None if there is none."""
    columns = named(entry)
    column = columns.get(CAPTION_OPTIONS)
    if column is None or _asks(entry) or any(entry[columns[name]] for name in FIELDS["answer"] if name in columns):
        return None
    listed = list_in(entry[column])
    are_captions = listed is not None and len(listed) > 1 and all(isinstance(words, str) for words in listed)
    return column if are_captions else None


def _choice_taken(entry: Entry) -> frozenset[str]:
    return NOTHING if (column := _choice(entry)) is None else frozenset({column})


def _choice_rows(entry: Entry) -> Iterator[PlainRow]:
    column = _choice(entry)
    assert column is not None
    options = list_in(entry[column]) or []
    row = {**without(entry, frozenset({column})), "question": WHICH_CAPTION, "options": options}
    yield PlainRow("", {**row, FIRST_CAPTION: options[0]})


def _square(entry: Entry) -> tuple[str, ...] | None:
    columns = named(entry)
    return tuple(columns[name] for name in _SQUARE) if all(name in columns for name in _SQUARE) else None


def _square_taken(entry: Entry) -> frozenset[str]:
    return frozenset(_square(entry) or ())


def _square_rows(entry: Entry) -> Iterator[PlainRow]:
    names = _square(entry)
    assert names is not None
    pictures, captions = [entry[name] for name in names[:2]], [entry[name] for name in names[2:]]
    rest = without(entry, frozenset(names))
    identity = next((named(rest)[name] for name in FIELDS["id"] if name in named(rest)), None)
    own = "" if identity is None else rest[identity]
    rest = without(rest, frozenset({identity} if identity is not None else ()))
    for place, (picture, letter) in enumerate(zip(pictures, "AB", strict=True)):
        row = {**rest, "question": WHICH_CAPTION, "options": captions, "answer": letter, "image": picture}
        yield PlainRow(f", picture {place}", {**row, **part_of(own, f"image_{place}")})
    for place, (caption, letter) in enumerate(zip(captions, "AB", strict=True)):
        row = {**rest, "question": f"{WHICH_PICTURE}\n{caption}", "answer": letter, "image": pictures}
        row["options"] = ["<image 1>", "<image 2>"]
        yield PlainRow(f", caption {place}", {**row, **part_of(own, f"caption_{place}")})


def _claim(entry: Entry) -> tuple[str, str] | None:
    """Return the columns of a claim and its truth; None if an entry has no claim or another kind of question."""
    columns = named(entry)
    claim = next((columns[name] for name in CLAIM_COLUMNS if name in columns), None)
    label = next((columns[name] for name in _LABELS if name in columns), None)
    if claim is None or label is None or _asks(entry):
        return None
    is_told = entry[label] is None or str(entry[label]).strip().lower() in _YES | _NO | {""}
    return (claim, label) if is_told and isinstance(entry[claim], str) else None


def _asks(entry: Entry) -> bool:
    """Return whether an entry contains the text of a question, or options."""
    columns = named(entry)
    return any(entry[columns[name]] for name in (*FIELDS["question"], *FIELDS["options"]) if name in columns)


def _claim_taken(entry: Entry) -> frozenset[str]:
    return frozenset(_claim(entry) or ())


def _claim_rows(entry: Entry) -> Iterator[PlainRow]:
    names = _claim(entry)
    assert names is not None
    claim, label = (entry[name] for name in names)
    told = "" if label is None else str(label).strip().lower()
    answer = "Yes" if told in _YES else "No" if told in _NO else None
    rest = without(entry, frozenset(names))
    row = {**rest, "question": claim, "options": ["Yes", "No"], "kind": "yes_no", "answer": answer}
    yield PlainRow("", row)


CAPTION_PAIRS = Layout(
    "a right and a wrong caption",
    "`caption` and `negative_caption` (also `foil`, a list `hard_negs`; `true_caption` and `false_caption`) of a "
    'picture; lists `POS` and `NEG`, also as `[PICTURE, {"POS": [...], "NEG": [...]}]`',
    f"“{WHICH_CAPTION}” of the captions; the right one comes first and is the key, each of several right ones in "
    "a separate row",
    ("SugarCrepe", "ARO", "VALSE", "CREPE", "VL-CheckList"),
    _pair_taken,
    _pair_rows,
    keeps_stated=True,
)
CAPTION_CHOICES = Layout(
    "captions without a key",
    "`caption_options`, or a row with the number of a picture and two captions, in which the right one is not marked",
    f"“{WHICH_CAPTION}” without a key; `--column answer={FIRST_CAPTION}` if the first is always right",
    ("What'sUp",),
    _choice_taken,
    _choice_rows,
    keeps_stated=True,
)
CAPTION_SQUARES = Layout(
    "two captions of two pictures",
    "`image_0`, `image_1`, `caption_0`, `caption_1`",
    f"four questions: “{WHICH_CAPTION}” for each picture, “{WHICH_PICTURE}” for each caption; one group",
    ("Winoground",),
    _square_taken,
    _square_rows,
)
CLAIMS = Layout(
    "claims",
    "`caption`, `statement` or `sentence` with `label` 1 or 0, true or false",
    "a yes/no question in the words of the claim; 1 and true are yes",
    ("VSR", "NLVR2"),
    _claim_taken,
    _claim_rows,
)
