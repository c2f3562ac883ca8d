"""The proportion of wrong keys in one task on which models agree with one another more than with its keys.

Either the keys of a task are as good as elsewhere, or the task is an outlier: its keys were damaged, and any share of
them may be wrong. Each share on a grid is weighted by its prior and by the density of the replies under the model of
replies (`reply_model`) fitted with that share. A task on which models agree with one another more than with the keys is
an outlier with a prior probability of 20 %, and of 95 % if that difference is unlike any clean task's. The model of
replies alone would just as readily assume that all models are misled in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .reply_model import WRONG_KEYS, Replies, ReplyModel, able_start, fit_replies, right_options, usual_start

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SHARES = (WRONG_KEYS, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
_OUTLIER, _OUTLIER_APART = 0.2, 0.95
"""Prior probabilities that a task is an outlier: if its keys are in doubt, and if models agree far less with them than
with one another."""
_SPREAD = 0.4
"""Prior standard deviation of the logarithms of how much items differ in difficulty and in temptation: estimated on the
nine tasks of BLINK and MVP-Bench with two or more able models. With a larger value, the assumption that every item
misleads all models would explain any keys."""
_TO_WEIGH = 400
"""Largest number of items on which proportions are weighted."""
_NEGLIGIBLE = 1e-3


class WeighedModel(NamedTuple):
    """Parameters for one proportion of wrong keys, and the posterior probability of that proportion."""

    model: ReplyModel
    weight: float


class WrongShare(NamedTuple):
    """The evidence of replies on the proportion of wrong keys in a task.

    Args:
        models: Parameters for each share considered, with its weight; weights add up to 1.
        value: Posterior mean of the proportion, 0-1.
        low: Lower limit, which the true share exceeds with a probability of 97.5 %, within the resolution of the grid.
        high: Upper limit, below which the true share lies with the same probability.
        outlier: Posterior probability that the task is an outlier.
    """

    models: tuple[WeighedModel, ...]
    value: float
    low: float
    high: float
    outlier: float

    def log_right_options(self, replies: Replies) -> Floats:
        """Return the logarithm of the probability that each option is right, averaged over shares (`right_options`)."""
        import numpy as np

        logs = np.stack([right_options(each.model, replies) + np.log(each.weight) for each in self.models])
        summed: Floats = np.logaddexp.reduce(logs, axis=0)
        return summed


def usual_share(replies: Replies) -> WrongShare:
    """Return the prior proportion of wrong keys for a task that is like the others."""
    return WrongShare((WeighedModel(fit_replies(replies), 1.0),), WRONG_KEYS, WRONG_KEYS, WRONG_KEYS, 0.0)


def wrong_share(replies: Replies, *, is_apart: bool) -> WrongShare:
    """Return the evidence of replies on the share of wrong keys, with a prior that allows for an outlier.

    Args:
        replies: Replies to the items of one task, which have keys.
        is_apart: Whether respondents agree with one another far more than with the keys (`TaskAgreement.is_apart`).
    """
    import numpy as np

    shares = np.array(_SHARES)
    some = _first(replies, _TO_WEIGH)
    fitted = _fitted(some)
    outlier = _OUTLIER_APART if is_apart else _OUTLIER
    prior = np.array([1 - outlier, *([outlier / (len(shares) - 1)] * (len(shares) - 1))])
    logs = np.log(prior) + [each.log_density for each in fitted]
    weights = np.exp(logs - np.logaddexp.reduce(logs))
    cumulated = weights.cumsum()
    low, high = (float(shares[min(int(np.searchsorted(cumulated, p)), len(shares) - 1)]) for p in (0.025, 0.975))
    counted = np.flatnonzero(weights >= _NEGLIGIBLE)
    models = tuple(
        WeighedModel(fitted[number], float(weights[number] / weights[counted].sum())) for number in counted.tolist()
    )
    return WrongShare(models, float(weights @ shares), low, high, float(weights[1:].sum()))


def _fitted(replies: Replies) -> list[ReplyModel]:
    """Return the parameters for each proportion: those at the higher of two peaks."""
    misled: list[ReplyModel] = []
    for share in _SHARES:  # this peak hardly moves from one share to the next
        begin = misled[-1] if misled else usual_start(replies)
        misled.append(fit_replies(replies, wrong=share, begin=begin, spread=_SPREAD))
    able = [fit_replies(replies, wrong=share, begin=able_start(replies), spread=_SPREAD) for share in _SHARES]
    return [max(both, key=lambda model: model.log_density) for both in zip(misled, able, strict=True)]


def _first(replies: Replies, most: int) -> Replies:
    """Return the replies to some items, spread evenly over all items."""
    import numpy as np

    items = len(replies.key)
    if items <= most:
        return replies
    places = np.unique(np.linspace(0, items - 1, most).round().astype(np.int64))
    return Replies(replies.counts[places], replies.misses[places], replies.key[places], replies.options[places])
