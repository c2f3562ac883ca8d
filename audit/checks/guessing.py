"""Keys that can be guessed without doing the task: by letter, by words, or by any measure of the shortcut battery."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.diagnostics.shortcuts.picks import LEAST_DECIDED, Bounds
from benchwright.errors import PrerequisiteError, UnreadableImage
from benchwright.release.format.blind_strategy import BlindStrategy
from benchwright.source_files.item_files import PicturePlace
from benchwright.texts.normalization import counted

from ..check import BLIND, CUE_POWERS, FOUND, AuditContext, CheckSkipped, require_enough, require_words
from ..evidence import MOST_LEARNED, item_report, picture_measures
from ..findings.cue_power import CuePower
from ..findings.finding import Finding, Severity
from ..picture_measures import PictureMeasures, learned_pictures
from ..source.audited_items import AuditedItem, AuditedItems, WordlessItem

if TYPE_CHECKING:
    from benchwright.diagnostics.adversary.item_evidence import ItemEvidence, PictureEvidence
    from benchwright.diagnostics.shortcuts.battery import TaskResult
    from benchwright.diagnostics.shortcuts.letter_groups import JudgedLetters, LetterGroup

_SURELY_UNEVEN = 0.001
_SURE_SPREADS = 2.33
"""Standard deviations above the highest chance level at which letters are uneven; by chance, 1 % of sets reach this."""
_UNEVEN_GAIN = 0.05
_STRONG_GAIN = 0.15
"""Smallest distance from chance, 0-1, within the 95 % interval at which a cue has high severity."""
_IF_TASK = " It uses what the picture shows: if the question asks about that, this is the task and no shortcut."
_LEARNED = "learned"
"""Name for the family of cues that learners find; a task has one finding for it."""
_CUES = {
    "longest": "text.length",
    "shortest": "text.length",
    "most_shared": "text.in_question",
    "most_typical": "text.like_others",
    "odd_one_out": "text.like_others",
    "odd_form": "text.form",
    "learned": "words",
}
"""The cue of the shortcut battery that each rule over words uses; for the classifier, the name of its solver."""
_RULES: Mapping[str, tuple[str, str]] = {
    "longest": ("longest_option_is_right", "The longest option is right more often than chance allows."),
    "shortest": ("shortest_option_is_right", "The shortest option is right more often than chance allows."),
    "most_shared": (
        "option_in_words_of_question_is_right",
        "The option that shares the most words with the question is right more often than chance allows.",
    ),
    "most_typical": (
        "typical_option_is_right",
        "The option that shares the most words with the others is right more often than chance allows.",
    ),
    "odd_one_out": (
        "odd_option_is_right",
        "The option that shares the fewest words with the others is right more often than chance allows.",
    ),
    "odd_form": (
        "option_in_other_form_is_right",
        "The only option with a different beginning or end is right more often than chance allows.",
    ),
    "learned": (
        "guessable_from_text",
        "A small classifier of words, trained on the other items, picks the key without seeing a picture.",
    ),
}


def cue_severity(interval: Sequence[float], chance: float) -> Severity:
    """Return the severity of a cue, given the distance of its accuracy's interval from chance."""
    surely = max(interval[0] - chance, chance - interval[1], 0.0)
    return "high" if surely >= _STRONG_GAIN else "medium"


def _of_task(task: str | None, audited: AuditedItems) -> str:
    if len({each.task for each in audited.all_items}) < 2:
        return ""
    return " (over all tasks)" if task is None else f" (task {task})"


class BestBlindStrategy:
    """The accuracy on the whole set of the best strategy that sees no picture, as a single number."""

    name: ClassVar[str] = "best_blind_strategy"
    title: ClassVar[str] = "Accuracy of the best strategy without pictures, over the whole set"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding if the strategy beats chance; the page states the number in any case.

        Raises:
            CheckSkipped: Too few items whose words are known have a key.
        """
        from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy, measured_items
        from benchwright.diagnostics.shortcuts.item_cues import word_cues

        require_words(audited)
        require_enough(audited.keyed, LEAST_DECIDED, of="items with a key")
        chosen = {item.item_id for item in measured_items(each.item for each in audited.keyed)}
        looked = context.check_each(
            (each for each in audited.keyed if each.item.item_id in chosen), lambda each: word_cues(each.item)
        )
        cues = {each.item.item_id: of_item for each, of_item in looked}
        measured = [each.item for each in audited.keyed if each.item.item_id in cues]

        def figure() -> Any:
            context.progress.phase("trying blind strategies", 0, "items")
            blind = blind_strategy(measured, cues_of=lambda item: cues[item.item_id])
            return None if blind is None else blind.model_dump(mode="json")

        kept = context.kept("audit blind strategy 4", sorted(item.content_hash for item in measured), figure)
        if kept is None:
            raise CheckSkipped(f"fewer than {LEAST_DECIDED} items with a key could be examined")
        blind = BlindStrategy.model_validate(kept)
        context.memo[BLIND] = blind
        if blind.beats_chance:
            yield Finding(
                "best_blind_strategy",
                cue_severity(blind.ci, blind.chance),
                (),
                f"{blind.words[:1].upper()}{blind.words[1:]}: the best of {blind.tried} strategies, chosen on some "
                "source pictures and measured on the others. Compare scores with this figure.",
                blind.document(),
            )


class KeyLetters:
    """Right options that favor some letters, so that a model with the same preference scores too high."""

    name: ClassVar[str] = "key_letters"
    title: ClassVar[str] = "Right options that prefer a letter, or Yes over No"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each task, and for the set, whose right options are uneven beyond chance (Holm)."""
        require_enough(audited.all_keyed, LEAST_DECIDED, of="items with a key")
        for letters in _letters(audited, context):
            if not letters.is_uneven:
                continue
            task, of, evenness, p = letters.group.task, letters.group.of, letters.group.balance, letters.p_holm
            placings = [place.placing for place in letters.group.placed]
            count = len(placings)
            letter = max(evenness.counts, key=lambda name: (evenness.counts[name], name))
            share = evenness.counts[letter] / count
            chance = sum(1 / placing.options for placing in placings) / count
            serious = p < _SURELY_UNEVEN and share - chance > _UNEVEN_GAIN
            what = "right" if of == "answer" else "the refusal choice"
            measured = {"always": letter, "accuracy": round(share, 4), "chance": round(chance, 4)}
            yield Finding(
                "key_letters_uneven",
                "medium" if serious else "low",
                (),
                f"Option {letter} is {what} in {share:.0%} of {counted(count, 'item')}{_of_task(task, audited)}; "
                f"chance would be {chance:.0%}.",
                {**measured, "task": task, "of": of, **evenness.to_json(), "p_holm": round(p, 6)},
            )


def _letters(audited: AuditedItems, context: AuditContext) -> list[JudgedLetters]:
    """Return the key letters of each task and of the whole set; items without words form separate tasks."""
    from benchwright.diagnostics.shortcuts.letter_groups import judged

    letters = item_report(audited, context).letters if audited.items else ()
    if not audited.wordless:
        return list(letters)
    return judged([*(each.group for each in letters), *_letters_without_words(audited)], seed=0)


def _letters_without_words(audited: AuditedItems) -> Iterator[LetterGroup]:
    """Yield the key letters of items without words, by task and, if there are no other items, over the set."""
    from benchwright.diagnostics.shortcuts.answer_letters import Placing, balance
    from benchwright.diagnostics.shortcuts.letter_groups import AnswerPlace, LetterGroup

    by_task: defaultdict[str, list[AnswerPlace]] = defaultdict(list)
    telling = list(_telling_letters(audited.wordless))
    for row, each in enumerate(telling):
        if each.key is not None:
            place = AnswerPlace(row, Placing(each.key, len(each.options)), each.item_id)
            by_task[each.task].append(place)
    groups: list[tuple[str | None, list[AnswerPlace]]] = [*sorted(by_task.items())]
    is_whole = len(telling) == sum(each.has_key for each in audited.wordless)
    if len(groups) > 1 and is_whole and not audited.items:
        groups.append((None, [place for _, placed in groups for place in placed]))
    for task, placed in groups:
        yield LetterGroup(task, "answer", tuple(placed), balance([place.placing for place in placed], seed=0))


def _telling_letters(items: Sequence[WordlessItem]) -> Iterator[WordlessItem]:
    """Yield the items without words whose letters are informative, each with its smallest possible number of options.

    If the source states no options, the number of options may differ between items: A and B prevail among keys if some
    items have two options and others four. Such a task is included only if a letter is right more often than by chance
    even when every item has the fewest options that its key allows.
    """
    by_task: defaultdict[str, list[WordlessItem]] = defaultdict(list)
    for each in items:
        if each.key is not None:
            by_task[each.task].append(each)
    for of_task in by_task.values():
        most = max(Counter(each.key for each in of_task).values())
        chance = sum(1 / each.fewest_options for each in of_task) / len(of_task)
        spread = math.sqrt(len(of_task) * chance * (1 - chance))
        if all(each.states_options for each in of_task) or most - len(of_task) * chance > _SURE_SPREADS * spread:
            for each in of_task:
                yield replace(each, options=each.options[: each.fewest_options])


class GuessedFromWords:
    """Rules and a classifier that use only the words, not the picture."""

    name: ClassVar[str] = "guessed_from_words"
    title: ClassVar[str] = "Keys that words alone reveal: longest option, different form, a text classifier"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each rule that beats chance on a task."""
        require_words(audited)
        require_enough(audited.keyed, LEAST_DECIDED, of="items with a key")
        ordered = sorted(audited.items, key=lambda each: each.item.item_id)
        for result in item_report(audited, context).giveaways:
            kind, summary = _RULES[result.rule]
            measured = result.measured
            yield Finding(
                kind,
                cue_severity(measured.interval, measured.chance),
                audited.in_order(ordered[row].item_id for row in result.rows),
                f"{summary} It gets {measured.value:.0%} of {counted(measured.items, 'item')} "
                f"right{_of_task(result.task, audited)}, where chance gets {measured.chance:.0%}.",
                result.to_json(),
            )


class ShortcutBattery:
    """Solvers that use words, files, light, marks and positions, but not the content that has to be compared."""

    name: ClassVar[str] = "shortcuts"
    title: ClassVar[str] = "The shortcut battery: keys that files, light, marks, places or words reveal"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each kind of cue in a task; items without pictures are measured by words."""
        from benchwright.diagnostics.shortcuts.battery import run_battery
        from benchwright.diagnostics.shortcuts.cue_table import with_source_image
        from benchwright.diagnostics.shortcuts.item_cues import ItemCues
        from benchwright.diagnostics.shortcuts.measuring import cues_or_reason
        from benchwright.diagnostics.shortcuts.report import flagged_items

        require_words(audited)
        require_enough(audited.keyed, LEAST_DECIDED, of="items with a key")
        sample = learned_sample(audited)
        facts = _FactsOfMeasures(audited, picture_measures(audited, context) if audited.pictures else {})
        cues: list[ItemCues] = []
        groups: dict[str, tuple[str, ...]] = {}

        def measure(each: AuditedItem) -> ItemCues | str:
            has_pictures = all(image.image_id in audited.pictures for image in each.item.images)
            return cues_or_reason(each.item, facts if has_pictures else None)

        rows: dict[str, int] = {}
        for each, measured in context.check_each(sample, measure):
            if not isinstance(measured, str):
                cues.append(measured)
                groups[each.item.item_id] = with_source_image(each.item.group_keys, each.item.root_image_id)
                rows[each.item.item_id] = audited.place(each.item_id)
        require_enough(cues, LEAST_DECIDED, of="items with a key whose pictures can be read")

        def run() -> dict[str, Any]:
            before = len(context.failed)
            evidence = _evidence_of(audited, [each for each in sample if each.item.item_id in rows], context)
            context.progress.phase("trying shortcuts", 0, "items")
            found, powers = [], []
            battery = run_battery(
                cues, groups, seed=context.seed, bounds=Bounds(), task_cues={}, evidence=evidence, rows=rows
            )
            for task in battery.all:
                helped = flagged_items(task)
                powers.append(_power_of(task, battery.whole)._asdict())
                for result in task.carried:
                    items = sorted(item_id for item_id, solvers in helped.items() if result in solvers)
                    name = None if task is battery.whole else task.table.task
                    power = task.power.to_json() if result.tells and task.power is not None else {}
                    found.append({"task": name, "items": items, "result": result.to_json() | power})
            return {"found": found, "powers": powers, "is_partial": len(context.failed) > before}

        inputs = [
            context.seed,
            sorted([each.to_text(), rows[each.item_id], *groups[each.item_id]] for each in cues),
            sorted(
                [each.item_id, each.item.content_hash, *map(list, _places_of(each, audited).values())]
                for each in sample
            ),
        ]
        try:
            kept = context.kept("audit battery 8", inputs, run)
            if kept["is_partial"] and not context.failed:  # kept, but its failures are no longer known
                kept = run()
        except PrerequisiteError as error:
            raise CheckSkipped(str(error)) from None
        context.memo[CUE_POWERS] = tuple(CuePower(**each) for each in kept["powers"])
        yield from _shortcut_findings(audited, kept["found"], _named_before(context))


def _power_of(task: TaskResult, whole: TaskResult | None) -> CuePower:
    """Return the size of the cue that the adversary could have found in a task, and whether it found one."""
    power = task.power
    return CuePower(
        None if task is whole else task.table.task,
        float((1 / task.table.options).mean()),
        None if power is None else power.items,
        None if power is None else power.could_find,
        None if power is None else power.items_needed,
        bool(task.learned_cues),
    )


class EditedPairs:
    """Pictures in pairs from which alone it is apparent that they were edited."""

    name: ClassVar[str] = "edited_pictures"
    title: ClassVar[str] = "Natural and manipulated pairs: whether a single picture reveals that it was edited"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding if solvers detect edited pictures; its severity depends on the number of answers that this
        reveals.
        """
        from benchwright.diagnostics.shortcuts.battery import run_battery
        from benchwright.diagnostics.shortcuts.cue_table import with_source_image
        from benchwright.diagnostics.shortcuts.edited_pictures import (
            EditedPictures,
            PairAnswers,
            edited_question,
            shown_side,
        )
        from benchwright.diagnostics.shortcuts.measuring import cues_or_reason

        answers = PairAnswers()
        for each in audited.items:
            answers.note(each.item)
        if not answers.pairs:
            return
        first = {
            shown: each
            for each in sorted(audited.items, key=lambda each: each.item.item_id)
            if (shown := shown_side(each.item)) is not None
            and shown.pair in answers.pairs
            and each.item.images[0].image_id in audited.pictures
        }
        sample = [replace(each, item=edited_question(each.item, shown)) for shown, each in sorted(first.items())]
        sample = sample[:MOST_LEARNED]
        require_enough(sample, LEAST_DECIDED, of="pictures of natural and manipulated pairs with separate questions")
        facts = _FactsOfMeasures(audited, picture_measures(audited, context))
        measured = [
            (each, cues)
            for each, cues in context.check_each(sample, lambda each: cues_or_reason(each.item, facts))
            if not isinstance(cues, str)
        ]
        groups = {
            each.item.item_id: with_source_image(each.item.group_keys, each.item.root_image_id) for each, _ in measured
        }

        def run() -> dict[str, Any]:
            evidence = _evidence_of(audited, [each for each, _ in measured], context)
            battery = run_battery(
                [cues for _, cues in measured], groups, seed=context.seed, bounds=Bounds(), task_cues={},
                evidence=evidence,
            )  # fmt: skip
            edited = EditedPictures(battery.tasks[0], len(answers.pairs), answers.answered, answers.yes_no)
            return {**edited.to_json(), "words": edited.in_words()}

        inputs = [context.seed, sorted([cues.to_text(), *groups[cues.item_id]] for _, cues in measured)]
        found = context.kept("audit edited pictures 1", [*inputs, answers.answered, answers.yes_no], run)
        if not found["tells"]:
            return
        best = next(each for each in found["result"]["solvers"] if each["carries"])
        told_items = (each.item_id for each in audited.items if shown_side(each.item) is not None)
        yield Finding(
            "edited_pictures_told",
            _severity_of_answers(found["answers"]["share"]),
            audited.in_order(told_items),
            f"The cue {best['solver'].replace('_', ' ')} reveals for {best['accuracy']:.0%} of "
            f"{counted(best['items'], 'picture')} of {counted(found['pairs'], 'pair')} whether they were edited, "
            f"where chance gets {best['chance']:.0%}; {found['words']}.",
            {name: found[name] for name in ("pairs", "answers")}
            | best
            | {name: found["result"][name] for name in ("learned_items", "could_find", "items_needed")},
        )


def _severity_of_answers(share: float | None) -> Severity:
    """Return the severity of detectable edits, given the proportion of yes/no items that they give away."""
    gain = 0.0 if share is None else share - 0.5
    return "high" if gain >= _STRONG_GAIN else "medium" if gain >= _UNEVEN_GAIN else "low"


def learned_sample(audited: AuditedItems) -> list[AuditedItem]:
    """Return the items with a key or, if there are very many, those with the smallest ids, which are digests."""
    if len(audited.keyed) <= MOST_LEARNED:
        return list(audited.keyed)
    return sorted(audited.keyed, key=lambda each: each.item.item_id)[:MOST_LEARNED]


def _named_before(context: AuditContext) -> frozenset[tuple[str | None, str]]:
    """Return the tasks and cues already reported by the checks of letters and words."""
    found: list[Finding] = context.memo.get(FOUND, [])
    rule_of = {kind: rule for rule, (kind, _) in _RULES.items()}
    cues = {(each.evidence["task"], _CUES[rule]) for each in found if (rule := rule_of.get(each.kind)) in _CUES}
    letters = {(each.evidence["task"], "letter") for each in found if each.kind == "key_letters_uneven"}
    return frozenset(cues | letters)


def _shortcut_findings(
    audited: AuditedItems, found: list[dict[str, Any]], named: frozenset[tuple[str | None, str]]
) -> Iterator[Finding]:
    """Yield one finding for each task and family, with all items that any of the family's solvers answers thanks to the
    cue.

    Args:
        audited: The items.
        found: The solvers that found a cue, those furthest from chance first.
        named: Tasks and cues that need no second finding: `letter`, `text.length`, `words`.
    """
    families: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for entry in found:
        family = entry["result"]["family"] or "forest"
        solver = entry["result"]["solver"]
        if "tells" in entry["result"]:
            family = _LEARNED
        cue = "letter" if family == "letter" else solver.partition(" ")[2] or solver
        if (entry["task"], cue) not in named:
            families.setdefault((entry["task"], family), []).append(entry)
    for (task, family), entries in families.items():
        # One measure that predicts the key alone is more informative than a combination that contains it.
        result = min(entries, key=lambda entry: entry["result"]["family"] == "combination")["result"]
        is_task = all(entry["result"]["may_be_task"] for entry in entries)
        what = "A forest over all cues" if family == "forest" else f"The cue {result['solver'].replace('_', ' ')}"
        if family == _LEARNED:
            learner = "A learner" if is_task else "A learner that sees everything but the task"
            what = f"{learner} ({result['solver']}), by {_told(result['tells'])},"
        yield Finding(
            "learned_cue" if family == _LEARNED else f"shortcut_{family}",
            "low" if is_task else cue_severity(result["ci"], result["chance"]),
            audited.in_order(audited.own_id[item_id] for entry in entries for item_id in entry["items"]),
            f"{what} picks the right option in {result['accuracy']:.0%} of "
            f"{counted(result['items'], 'item')}{_of_task(task, audited)}"
            f"{'' if is_task else ' without doing the task'}, where chance picks {result['chance']:.0%}."
            f"{_IF_TASK if is_task else ''}",
            {"task": task, **result},
        )


def _told(tells: Sequence[Mapping[str, Any]]) -> str:
    return " and ".join(str(each["measure"]) for each in tells[:2])


def _learned_pictures(
    audited: AuditedItems, sample: Sequence[AuditedItem], context: AuditContext
) -> Mapping[str, Mapping[str, Any]]:
    """Return the evidence that the adversary uses from the pictures of some items, by picture id, as JSON values."""
    shown = dict.fromkeys(image.image_id for each in sample for image in each.item.images)
    return learned_pictures([audited.pictures[each] for each in shown if each in audited.pictures], context)


def _places_of(each: AuditedItem, audited: AuditedItems) -> dict[str, PicturePlace]:
    """Return the paths of an item's picture files, by image id; none in a release."""
    found: dict[str, PicturePlace] = {}
    for image, name in zip(each.item.images, each.names, strict=False):
        picture = audited.pictures.get(image.image_id)
        if picture is not None:
            is_own = picture.file.name == name.rpartition("/")[2]
            found[image.image_id] = PicturePlace(name, picture.file.stat().st_mtime if is_own else None)
    return found


def _evidence_of(audited: AuditedItems, items: Sequence[AuditedItem], context: AuditContext) -> dict[str, ItemEvidence]:
    """Return the adversary's evidence from items, by id; only from words and ids if no picture is readable."""
    from benchwright.diagnostics.adversary.item_evidence import PictureEvidence
    from benchwright.diagnostics.shortcuts.measuring import evidence_of_answers
    from benchwright.images.decode import decode_rgb

    documents = _learned_pictures(audited, items, context)

    def evidence_of(image_id: str) -> PictureEvidence:
        return PictureEvidence.from_json(documents[image_id])

    def seen(each: AuditedItem) -> ItemEvidence | None:
        is_seen = all(image.image_id in documents for image in each.item.images)
        return evidence_of_answers(
            each.item,
            evidence_of if is_seen else None,
            (lambda image_id: decode_rgb(audited.pictures[image_id].file)) if is_seen else None,
            places=_places_of(each, audited),
            own_id=each.id_from_source,
        )

    found = {each.item.item_id: evidence for each, evidence in context.check_each(items, seen)}
    return {item_id: evidence for item_id, evidence in found.items() if evidence is not None}


class _FactsOfMeasures:
    """Facts about pictures, taken from the audit's measures."""

    def __init__(self, audited: AuditedItems, measured: Mapping[str, PictureMeasures]) -> None:
        self._audited, self._measured = audited, measured

    def __call__(self, image_id: str, with_pixels: bool) -> Any:
        from benchwright.diagnostics.shortcuts.picture_facts import PictureTraits

        measures = self._measured.get(image_id)
        if measures is None or measures.failed is not None:
            raise UnreadableImage("unreadable", "the picture cannot be read")
        picture = self._audited.pictures[image_id]
        return PictureTraits(picture.width, picture.height, measures.file, measures.light if with_pixels else {})
