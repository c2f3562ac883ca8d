"""Keys that can be guessed without doing the task: by letter, by words, by whatever the shortcut battery measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.text_normalization import counted

from ..audited_items import AuditedItem, AuditedItems
from ..check import AuditContext, CheckSkipped, enough, needs_words
from ..evidence import MOST_LEARNED, item_report, picture_measures
from ..finding import Finding, Severity
from ..picture_measures import PictureMeasures

if TYPE_CHECKING:
    from benchwright.diagnostics.shortcuts.answer_letters import Balance, Placing

LEAST_ITEMS = 20
"""Fewest items with a key of which it can be said whether something guesses them."""
_SURELY_UNEVEN = 0.001
_UNEVEN_GAIN = 0.05
_STRONG_GAIN = 0.15
"""Least distance from chance, 0-1, within the 95 % interval, from which a cue is of high severity."""
_RULES: Mapping[str, tuple[str, str]] = {
    "longest": ("longest_option_is_right", "The longest option is right more often than chance allows."),
    "shortest": ("shortest_option_is_right", "The shortest option is right more often than chance allows."),
    "most_shared": (
        "option_in_words_of_question_is_right",
        "The option that shares most words with the question is right more often than chance allows.",
    ),
    "most_typical": (
        "typical_option_is_right",
        "The option that shares most words with the others is right more often than chance allows.",
    ),
    "odd_one_out": (
        "odd_option_is_right",
        "The option that shares fewest words with the others is right more often than chance allows.",
    ),
    "odd_form": (
        "option_in_other_form_is_right",
        "The option that alone begins or ends otherwise is right more often than chance allows.",
    ),
    "learned": (
        "guessable_from_text",
        "A small classifier of words, trained on the other items, picks the key without seeing a picture.",
    ),
}


def cue_severity(interval: Sequence[float], chance: float) -> Severity:
    """Return the severity of a cue by how far its accuracy surely is from chance."""
    surely = max(interval[0] - chance, chance - interval[1], 0.0)
    return "high" if surely >= _STRONG_GAIN else "medium"


def _of_task(task: str | None, audited: AuditedItems) -> str:
    return "" if task is None or len({each.task for each in audited.all_items}) < 2 else f" (task {task})"


class KeyLetters:
    """Right options that prefer some letters, so that a model with the same preference scores too high."""

    name: ClassVar[str] = "key_letters"
    title: ClassVar[str] = "Right options that prefer a letter, or Yes over No"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each task whose right options are uneven beyond chance."""
        enough(audited.all_keyed, LEAST_ITEMS, of="items with a key")
        groups = [
            (group.task, group.of, [place.placing for place in group.placed], group.balance)
            for group in (item_report(audited, context).letters if audited.items else ())
        ]
        for task, of, placings, evenness in (*groups, *_letters_without_words(audited, context)):
            count = len(placings)
            if count < LEAST_ITEMS or evenness.p >= 0.01:
                continue
            letter = max(evenness.counts, key=lambda name: (evenness.counts[name], name))
            share = evenness.counts[letter] / count
            chance = sum(1 / placing.options for placing in placings) / count
            serious = evenness.p < _SURELY_UNEVEN and share - chance > _UNEVEN_GAIN
            what = "right" if of == "answer" else "the one that declines"
            measured = {"always": letter, "accuracy": round(share, 4), "chance": round(chance, 4)}
            yield Finding(
                "key_letters_uneven",
                "medium" if serious else "low",
                (),
                f"Option {letter} is {what} in {share:.0%} of {counted(count, 'item')}{_of_task(task, audited)}; "
                f"chance would be {chance:.0%}.",
                {**measured, "task": task, "of": of, **evenness.to_json()},
            )


def _letters_without_words(
    audited: AuditedItems, context: AuditContext
) -> Iterator[tuple[str | None, str, list[Placing], Balance]]:
    """Yield the letters of the keys of items without words, by task."""
    from benchwright.diagnostics.shortcuts.answer_letters import Placing, balance

    by_task: defaultdict[str, list[Placing]] = defaultdict(list)
    for each in audited.wordless:
        if each.key is not None:
            by_task[each.task].append(Placing(each.key, len(each.options)))
    for task, placings in sorted(by_task.items()):
        yield task, "answer", placings, balance(placings, seed=context.seed)


class GuessedFromWords:
    """Rules and a classifier that see words alone; the picture stays unseen."""

    name: ClassVar[str] = "guessed_from_words"
    title: ClassVar[str] = "Keys that words alone give away: longest option, other form, a text classifier"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each rule that beats chance on a task."""
        needs_words(audited)
        enough(audited.keyed, LEAST_ITEMS, of="items with a key")
        report = item_report(audited, context)
        ordered = sorted(audited.items, key=lambda each: each.item.item_id)
        for result, gives_away in report.rules:
            if not gives_away or result.items < LEAST_ITEMS:
                continue
            kind, summary = _RULES[result.rule]
            yield Finding(
                kind,
                cue_severity(result.interval, result.chance),
                audited.in_order(ordered[row].item_id for row in result.rows),
                f"{summary} It gets {result.accuracy:.0%} of {counted(result.items, 'item')} "
                f"right{_of_task(result.task, audited)}, where chance gets {result.chance:.0%}.",
                result.to_json(),
            )


class ShortcutBattery:
    """Solvers that see files, light, marks and places, but not what they must be compared with."""

    name: ClassVar[str] = "shortcuts"
    title: ClassVar[str] = "The shortcut battery: keys that files, light, marks or places give away"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each kind of cue that a task carries."""
        from benchwright.diagnostics.shortcuts.battery import Bounds, run_battery
        from benchwright.diagnostics.shortcuts.item_cues import ItemCues, cues_of_item
        from benchwright.diagnostics.shortcuts.report import flagged_items

        needs_words(audited)
        enough(audited.keyed, LEAST_ITEMS, of="items with a key")
        facts = _FactsOfMeasures(audited, picture_measures(audited, context))
        cues: list[ItemCues] = []
        groups: dict[str, tuple[str, ...]] = {}

        def measure(each: AuditedItem) -> ItemCues | None:
            try:
                return cues_of_item(each.item, facts)
            except UnreadableImage:
                return None

        for each, measured in context.look_at_each(learned_sample(audited), measure):
            if measured is not None:
                cues.append(measured)
                groups[each.item.item_id] = each.item.group_keys
        enough(cues, LEAST_ITEMS, of="items with a key whose pictures can be read")

        def run() -> list[dict[str, Any]]:
            context.progress.phase("trying shortcuts", 0, "items")
            found = []
            for task in run_battery(cues, groups, seed=context.seed, bounds=Bounds(), task_cues={}):
                helped = flagged_items(task)
                for result in task.carried:
                    items = sorted(item_id for item_id, solvers in helped.items() if result in solvers)
                    found.append({"task": task.table.task, "items": items, "result": result.to_json()})
            return found

        inputs = [context.seed, sorted([each.to_text(), *groups[each.item_id]] for each in cues)]
        try:
            found = context.kept("audit battery 1", inputs, run)
        except PrerequisiteError as error:
            raise CheckSkipped(str(error)) from None
        yield from _shortcut_findings(audited, found)


def learned_sample(audited: AuditedItems) -> list[AuditedItem]:
    """Return the items with a key, or those with the smallest ids, which are digests, where there are very many."""
    if len(audited.keyed) <= MOST_LEARNED:
        return list(audited.keyed)
    return sorted(audited.keyed, key=lambda each: each.item.item_id)[:MOST_LEARNED]


def _shortcut_findings(audited: AuditedItems, found: list[dict[str, Any]]) -> Iterator[Finding]:
    """Yield one finding for each task and family; letters and words have checks of their own."""
    seen: set[tuple[str, str]] = set()
    for entry in found:
        result = entry["result"]
        family = result["family"] or "forest"
        if family in ("letter", "text") or (entry["task"], family) in seen:
            continue
        seen.add((entry["task"], family))
        what = "A forest over all cues" if family == "forest" else f"The cue {result['solver'].replace('_', ' ')}"
        yield Finding(
            f"shortcut_{family}",
            cue_severity(result["ci"], result["chance"]),
            audited.in_order(audited.own_id[item_id] for item_id in entry["items"]),
            f"{what} picks the right option of {result['accuracy']:.0%} of {counted(result['items'], 'item')}"
            f"{_of_task(entry['task'], audited)} without doing the task, where chance picks {result['chance']:.0%}.",
            {"task": entry["task"], **result},
        )


class _FactsOfMeasures:
    """Facts about pictures, from what the audit measured."""

    def __init__(self, audited: AuditedItems, measured: Mapping[str, PictureMeasures]) -> None:
        self._audited, self._measured = audited, measured

    def __call__(self, image_id: str, with_pixels: bool) -> Any:
        from benchwright.diagnostics.shortcuts.picture_facts import PictureTraits

        measures = self._measured.get(image_id)
        if measures is None or measures.failed is not None:
            raise UnreadableImage("unreadable", "the picture cannot be read")
        picture = self._audited.pictures[image_id]
        return PictureTraits(picture.width, picture.height, measures.file, measures.light if with_pixels else {})
