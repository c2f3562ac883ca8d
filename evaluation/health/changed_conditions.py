"""Signs of contamination from runs under changed conditions: without the pictures, or with other orders of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics import share_right
from benchwright.statistics.clustered_mean import clustered_mean
from benchwright.statistics.score_interval import Z_95
from benchwright.texts.normalization import counted

from ..analysis.label_issues import protocol_name
from ..analysis.reply_matrix import ReplyMatrix
from ..protocols.repeated import shuffled_order
from ..results.judged_predictions import open_judged
from .signs import LEAST_RUNS, ModelSign, Sign, above_decoys, adjusted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .runs import HealthRuns

_CIRCULAR, _OWN_ORDER = "circular", "r0"


def without_pictures(runs: HealthRuns, release_path: str) -> Sign:
    """Return whether models answer correctly without the pictures more often than the words alone explain.

    The reference is the best of three accuracies: that of a uniform draw, of the blind strategy stated by the release,
    and of the scored baselines that see no picture. The sign's items are those for which the blind runs agree on the
    key more than on wrong options.
    """
    from scipy.stats import norm

    command = f"benchwright evaluate run {release_path} --model MODEL --protocol blind --out RESULTS"
    if not runs.blind:
        return Sign("without_pictures", False, "needs a run without pictures", command)
    sheet = runs.sheet
    reference, whose = _reference(runs)
    signs = []
    for row in runs.blind:
        some = sheet.asked[row] & (sheet.items.column("options").to_numpy() > 0)
        share = share_right(sheet.right[row, some], _numbered(sheet.group[some]))
        if share.value is None or share.interval is None:
            continue
        error = (share.value - share.interval.low) / Z_95
        p = float(norm.sf((share.value - reference) / error)) if error > 0 else float(share.value <= reference)
        signs.append(ModelSign(runs.name(row), share.value, share.interval, reference, share.n, p))
    models = adjusted(signs)
    items = _agreed_blindly(sheet.of_models(runs.blind)) if len(runs.blind) >= LEAST_RUNS else ()
    found = [sign for sign in models if sign.is_found]
    words = (
        f"{len(found)} of {counted(len(models), 'model')} without the pictures above {whose} ({reference:.2f})"
        + _items_words(items, len(runs.blind), "on which models without the picture agree")
    )
    return Sign("without_pictures", True, words, None, models, items)


def _reference(runs: HealthRuns) -> tuple[float, str]:
    """Return the best accuracy that requires neither pictures nor memory, and its source."""
    options = runs.sheet.items.column("options").to_numpy()
    best, whose = float((1 / options[options > 0]).mean()), "an even draw"
    for score in runs.sheet.scores:
        if score.blind_strategy is not None and score.blind_strategy.accuracy > best:
            best, whose = score.blind_strategy.accuracy, "the release's blind strategy"
    for row in runs.baselines:
        accuracy = runs.sheet.scores[row].metrics["accuracy"].value
        if accuracy is not None and accuracy > best:
            best, whose = accuracy, runs.sheet.scores[row].title
    return best, whose


def _agreed_blindly(blind: ReplyMatrix) -> tuple[str, ...]:
    """Return the ids of the items on whose key the blind runs agree; votes for wrong options serve as decoys."""
    import numpy as np

    from ..analysis.reply_matrix import letter_numbers

    key, options = letter_numbers(blind.items.column("key")), blind.items.column("options").to_numpy()
    votes = np.stack(
        [(blind.letter == option).sum(axis=0) for option in range(int(options.max(initial=2)))], axis=1
    ).astype(float)
    votes[blind.asked.sum(axis=0) < LEAST_RUNS] = np.nan
    items = np.arange(len(key))
    keyed = key >= 0
    targets = np.where(keyed, votes[items, np.maximum(key, 0)], np.nan)
    is_wrong = (np.arange(votes.shape[1]) < options[:, None]) & keyed[:, None]
    is_wrong[items[keyed], key[keyed]] = False
    decoys = votes[is_wrong]
    share = 1 / max(1.0, float(is_wrong.sum()) / max(1, int(keyed.sum())))
    held = above_decoys(targets, decoys[~np.isnan(decoys)], share)
    return tuple(np.array(blind.items.column("item_id").to_pylist(), dtype=object)[held].tolist())


class _OrderEffect(NamedTuple):
    """How much more often a model is right in the published order than in other orders, by item; NaN if not asked."""

    model: str
    gain: NDArray[np.float64]


def published_order(runs: HealthRuns, release_path: str) -> Sign:
    """Return whether models do better with options in the published order than in other orders, as models that
    memorized items would.

    With balanced keys, a preference for a position helps as often as it harms, so it is not a sign of contamination by
    itself.
    """
    import numpy as np

    command = f"benchwright evaluate run {release_path} --model MODEL --protocol circular --out RESULTS"
    effects = [effect for row in runs.ordered if (effect := _order_effect(runs, row)) is not None]
    if not effects:
        return Sign(
            "published_order",
            False,
            "needs a run with the options in other orders (circular, or shuffle in addition to a plain run)",
            command,
        )
    signs = []
    for effect in effects:
        known = ~np.isnan(effect.gain)
        mean = clustered_mean(effect.gain[known], runs.sheet.group[known])
        if mean is not None and mean.interval is not None:
            signs.append(ModelSign(effect.model, mean.value, mean.interval, 0.0, mean.n, mean.p_above))
    models = adjusted(signs)
    items: tuple[str, ...] = ()
    gains = np.stack([effect.gain for effect in effects])
    if len(effects) >= LEAST_RUNS:
        total = np.where((~np.isnan(gains)).sum(axis=0) >= LEAST_RUNS, np.nansum(gains, axis=0), np.nan)
        held = above_decoys(total, -total[~np.isnan(total)])
        items = tuple(np.array(runs.sheet.items.column("item_id").to_pylist(), dtype=object)[held].tolist())
    found = sum(sign.is_found for sign in models)
    words = f"{found} of {counted(len(models), 'model')} better in the published order than in others" + _items_words(
        items, len(effects), "known in their published order"
    )
    return Sign("published_order", True, words, None, models, items)


def _items_words(items: tuple[str, ...], models: int, what: str) -> str:
    if models < LEAST_RUNS:
        return f"; items are named from {LEAST_RUNS} models on"
    return f"; {counted(len(items), 'item')} {what}"


def _order_effect(runs: HealthRuns, row: int) -> _OrderEffect | None:
    """Return the gain from the published order for each item, or None if nothing can be compared."""
    import numpy as np

    sheet, score = runs.sheet, runs.sheet.scores[row]
    with open_judged(runs.stored[row].folder, runs.stored[row].score) as file:
        rows = file.table(["item_id", "attempts"]).to_pylist()
    place = {item_id: k for k, item_id in enumerate(sheet.items.column("item_id").to_pylist())}
    options = sheet.items.column("options").to_numpy()
    system = runs.system_of(row)
    is_circular = protocol_name(score) == _CIRCULAR
    if not is_circular and system is None:
        return None
    gain = np.full(len(place), np.nan)
    for judged in rows:
        at = place[judged["item_id"]]
        attempts = [each for each in judged["attempts"] or () if each["round"] == 0]
        if is_circular:
            own = [each["right"] for each in attempts if each["variant"] == _OWN_ORDER]
            others = [each["right"] for each in attempts if each["variant"] != _OWN_ORDER]
        else:
            own = [sheet.right[system, at]] if sheet.asked[system, at] else []
            others = [
                each["right"] for each in attempts if _is_moved(judged["item_id"], int(options[at]), each["variant"])
            ]
        if own and others:
            gain[at] = float(own[0]) - sum(map(bool, others)) / len(others)
    return None if np.isnan(gain).all() else _OrderEffect(runs.name(row), gain)


def _is_moved(item_id: str, options: int, variant: str) -> bool:
    """Return whether a repetition of `shuffle` showed the options in an order other than the item's own."""
    return shuffled_order(item_id, options, int(variant.removeprefix("s"))) != list(range(options))


def _numbered(group: NDArray[Any]) -> NDArray[np.int64]:
    import numpy as np

    return np.unique(group, return_inverse=True)[1].astype(np.int64)
