"""A model of replies to items with options, in which some keys are wrong and respondents' errors are correlated.

Respondent m picks option j of item i, whose right option is t, with a probability in proportion to exp(l):

    l = b[m, j] + (s[m] + sigma z[i, t] if j == t else tau z[i, j])

- b[m, j]: how much m prefers the letter j for any question (position bias).
- s[m]: the skill of m, by which it prefers the right option; at least 0, so that no reply is evidence against the
  option that it gives.
- z[i, .]: standard normal, shared by all respondents. For the right option, it makes items hard or easy for all
  respondents (sigma); for the others, it makes one of them attractive to all (tau). This correlates errors: several
  respondents may agree on a wrong option because it is tempting; sigma and tau determine how often.
- The key is the right option with probability 1 - epsilon; otherwise each of the others is, with equal probability.
- For people, it may be known only that they gave an option other than the key. Such an answer has the combined
  probability of all other options.

Skills, preferences, sigma and tau are those of greatest posterior density, with z integrated out; no key is assumed to
be right. The result is the probability that each option of each item is the right one. epsilon is not estimated:
replies alone cannot distinguish a wrong key from an item that misleads every respondent. If items often mislead all
respondents, an estimate would call that many keys wrong.

Sources: the latent right answer with respondents' error rates is that of A. P. Dawid and A. M. Skene, Applied
Statistics 28 (1979), 20-28, doi:10.2307/2346806; the difficulty of items in addition to the skill of respondents that
of J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan, "Whose vote should count more", NIPS 2009; preferences
for wrong options that of R. D. Bock, "Estimating item parameters and latent ability when responses are scored in two or
more nominal categories", Psychometrika 37 (1972), 29-51; marginal likelihood that of R. D. Bock and M. Aitkin,
Psychometrika 46 (1981), 443-459. The default of epsilon is the average over ten test sets found by C. G. Northcutt, A.
Athalye and J. Mueller, "Pervasive label errors in test sets", NeurIPS 2021.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_DRAWS_TO_FIT, _DRAWS_TO_JUDGE = 128, 512
"""Number of points for the quasi-random integration over z, during the estimation of parameters and afterwards."""

_SKILL_PRIOR = (1.0, 2.0)
_BIAS_SPREAD = 0.7
_SPREAD_PRIOR = (0.0, 0.7)
"""Mean and standard deviation of log sigma and log tau."""
WRONG_KEYS = 0.034
"""Prior proportion of wrong keys, epsilon."""
_ABLE = (3.0, 0.6)
"""Skill, and sigma and tau, of able respondents."""

_PATTERNS_AT_ONCE = 1 << 12
_LEAST = 1e-12


class ReplyModel(NamedTuple):
    """Estimated parameters.

    Args:
        skill: (M,) skill of each respondent; 0 is chance.
        bias: (M, K) preference of each respondent for each letter.
        hardness: sigma, the spread of difficulty among items.
        pull: tau, the spread of attraction among wrong options.
        wrong: epsilon, the prior proportion of wrong keys.
        log_density: Natural logarithm of the posterior density of these parameters, up to a constant that depends only
            on the replies.
    """

    skill: Floats
    bias: Floats
    hardness: float
    pull: float
    wrong: float
    log_density: float = 0.0


class Replies(NamedTuple):
    """Replies of M respondents to N items of up to K options.

    Args:
        counts: (N, M, K) how often each respondent gave each option: 0 or 1 for a model; for people, treated as one
            respondent, the numbers of votes.
        misses: (N, M) how often each respondent gave an unknown option other than the key.
        key: (N,) index of each item's key; below 0 if the item has none, in which case every option is equally likely.
        options: (N,) number of each item's options, 2 to K.
    """

    counts: Floats
    misses: Floats
    key: NDArray[Any]
    options: NDArray[Any]


def fit_replies(
    replies: Replies,
    *,
    wrong: float = WRONG_KEYS,
    begin: ReplyModel | None = None,
    spread: float = _SPREAD_PRIOR[1],
) -> ReplyModel:
    """Return the parameters with the greatest posterior density.

    Args:
        replies: The replies.
        wrong: epsilon, the prior proportion of wrong keys, above 0 and below 1.
        begin: Parameters from which the search begins; if None, those of `usual_start`. If many keys are wrong, the
            density has two peaks: one for able respondents and wrong keys, one for ignorant respondents who are misled
                alike.
        spread: Prior standard deviation of log sigma and log tau.
    """
    import numpy as np
    from scipy.optimize import minimize

    _, respondents, letters = replies.counts.shape
    z = _normal_draws(letters, _DRAWS_TO_FIT)
    parts = [_patterns(replies, int(k)) for k in np.unique(replies.options)]
    size = respondents * (1 + letters)
    begin = begin or usual_start(replies)

    def unpacked(x: Floats) -> ReplyModel:
        hardness, pull = np.exp(np.clip(x[size : size + 2], -6, 3))
        return ReplyModel(
            x[:respondents],
            x[respondents:size].reshape(respondents, letters),
            float(hardness),
            float(pull),
            wrong,
        )

    def loss(x: Floats) -> tuple[float, Floats]:
        model = unpacked(x)
        value, gradient = _log_prior(model, x[size:], spread)
        for patterns in parts:
            likelihood, part = _log_likelihood(model, patterns, z)
            value, gradient = value + likelihood, gradient + part
        return -value, -gradient

    start = np.concatenate([begin.skill, begin.bias.ravel(), np.log([begin.hardness, begin.pull])])
    bounds = [(0, None)] * respondents + [(None, None)] * (len(start) - respondents)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200, "ftol": 1e-7})
    return unpacked(found.x)._replace(log_density=-float(found.fun))


def usual_start(replies: Replies) -> ReplyModel:
    """Return parameters of respondents with usual skill, from which a search can begin."""
    return _start(replies, _SKILL_PRIOR[0], 1.0)


def able_start(replies: Replies) -> ReplyModel:
    """Return parameters of able respondents who are seldom misled, from which a search can begin."""
    return _start(replies, *_ABLE)


def _start(replies: Replies, skill: float, spread: float) -> ReplyModel:
    import numpy as np

    _, respondents, letters = replies.counts.shape
    return ReplyModel(np.full(respondents, skill), np.zeros((respondents, letters)), spread, spread, WRONG_KEYS)


def right_options(model: ReplyModel, replies: Replies) -> Floats:
    """Return the natural logarithm of the probability that each option is the right one, (N, K).

    The value is minus infinity for options that an item lacks.
    """
    import numpy as np

    items, _, letters = replies.counts.shape
    z = _normal_draws(letters, _DRAWS_TO_JUDGE)
    logs = np.full((items, letters), -np.inf)
    for k in np.unique(replies.options):
        patterns = _patterns(replies, int(k))
        table = _log_choices(model, int(k), z)
        of_pattern = np.empty((len(patterns.key), int(k)))
        for start in range(0, len(patterns.key), _PATTERNS_AT_ONCE):
            some = patterns.part(slice(start, start + _PATTERNS_AT_ONCE))
            of_truth = np.logaddexp.reduce(_joint(model, some, table), axis=1)
            of_pattern[start : start + len(some.key)] = of_truth - np.logaddexp.reduce(of_truth, axis=1, keepdims=True)
        logs[patterns.places, : int(k)] = of_pattern[patterns.number]
    return logs


class _Patterns(NamedTuple):
    """Distinct rows of replies and key to items with k options; there are few such rows if there are few models.

    Args:
        k: Number of options.
        counts: (P, M x k) counts of each pattern.
        misses: (P, M) misses of each pattern.
        key: (P,) key of each pattern.
        repeats: (P,) number of items with each pattern.
        places: (n,) indices of the items with k options.
        number: (n,) index of each item's pattern.
    """

    k: int
    counts: Floats
    misses: Floats
    key: NDArray[Any]
    repeats: Floats
    places: NDArray[Any]
    number: NDArray[Any]

    def part(self, some: slice) -> _Patterns:
        """Return a subset of the patterns."""
        counts, misses, key, repeats = (each[some] for each in (self.counts, self.misses, self.key, self.repeats))
        return self._replace(counts=counts, misses=misses, key=key, repeats=repeats)


def _patterns(replies: Replies, k: int) -> _Patterns:
    import numpy as np

    places = np.flatnonzero(replies.options == k)
    counts = replies.counts[places][:, :, :k].reshape(len(places), -1)
    rows, number, repeats = np.unique(
        np.column_stack([replies.key[places], replies.misses[places], counts]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    first = 1 + replies.misses.shape[1]
    key = rows[:, 0].astype(np.int64)
    return _Patterns(k, rows[:, first:], rows[:, 1:first], key, repeats.astype(float), places, number.reshape(-1))


def _normal_draws(letters: int, draws: int) -> Floats:
    """Return quasi-random standard normal vectors, (R, K), the same at each call."""
    import numpy as np
    from scipy.special import ndtri
    from scipy.stats import qmc

    points = qmc.Sobol(letters, scramble=True, rng=np.random.default_rng(0)).random(draws)
    normal: Floats = ndtri(np.clip(points, 1e-9, 1 - 1e-9))
    return normal


def _log_choices(model: ReplyModel, k: int, z: Floats) -> Floats:
    """Return the logarithms of choices, by draw, right option, respondent and option given: (R, k, M, k)."""
    import numpy as np

    right = np.eye(k)
    pulled = z[:, None, :k] * np.where(right, model.hardness, model.pull)
    logits = pulled[:, :, None, :] + model.bias[None, None, :, :k] + right[None, :, None, :] * model.skill[:, None]
    logs: Floats = logits - np.logaddexp.reduce(logits, axis=3, keepdims=True)
    return logs


def _log_of_others(table: Floats, key: int) -> Floats:
    """Return the logarithms of the probabilities of giving an option other than the key, (R, k, M)."""
    import numpy as np

    others: Floats = np.log(np.maximum(-np.expm1(table[:, :, :, key]), _LEAST))
    return others


def _joint(model: ReplyModel, patterns: _Patterns, table: Floats) -> Floats:
    """Return log(probability of draw, right option and replies), (P, R, k)."""
    import numpy as np

    k, draws, key = patterns.k, len(table), patterns.key
    joint: Floats = (patterns.counts @ table.reshape(draws * k, -1).T).reshape(len(key), draws, k)
    missed = patterns.misses.any(axis=1)
    for number in np.unique(key[missed]):
        some = np.flatnonzero(missed & (key == number))
        others = _log_of_others(table, number).reshape(draws * k, -1)
        joint[some] += (patterns.misses[some] @ others.T).reshape(len(some), draws, k)
    prior = np.full((len(key), k), -np.log(k))
    keyed = np.flatnonzero(key >= 0)
    prior[keyed] = np.log(model.wrong / (k - 1))
    prior[keyed, key[keyed]] = np.log1p(-model.wrong)
    joint += prior[:, None, :] - np.log(draws)
    return joint


def _log_likelihood(model: ReplyModel, patterns: _Patterns, z: Floats) -> tuple[float, Floats]:
    """Return the log-likelihood of the items with k options, and its gradient with respect to the parameters.

    Args:
        model: Parameters.
        patterns: Replies to the items.
        z: Draws, (R, K).

    The gradient of a marginal log-likelihood is the expected gradient of the complete-data log-likelihood, under the
    probabilities of draws, right options and unknown options given the replies (R. A. Fisher's identity).
    """
    import numpy as np

    k = patterns.k
    respondents, letters = model.bias.shape
    table = _log_choices(model, k, z)
    joint = _joint(model, patterns, table)
    most = joint.max(axis=(1, 2), keepdims=True)
    weight = np.exp(joint - most)
    total = weight.sum(axis=(1, 2), keepdims=True)
    weight *= patterns.repeats[:, None, None] / total
    expected = (weight.reshape(len(weight), -1).T @ patterns.counts).reshape(table.shape)
    missed = patterns.misses.any(axis=1)
    for number in np.unique(patterns.key[missed]):
        some = missed & (patterns.key == number)
        times = np.einsum("prt,pm->rtm", weight[some], patterns.misses[some])
        other = np.exp(table - _log_of_others(table, number)[..., None])
        other[..., number] = 0
        expected += times[..., None] * other
    pressure = expected - expected.sum(axis=3, keepdims=True) * np.exp(table)
    right = np.eye(k, dtype=bool)
    on_right = pressure[:, right.nonzero()[0], :, right.nonzero()[1]]  # (k, R, M)
    bias = np.zeros((respondents, letters))
    bias[:, :k] = pressure.sum(axis=(0, 1))
    by_option = pressure.sum(axis=2)  # (R, k, k)
    pulled = by_option * z[:, None, :k]
    gradient = np.concatenate(
        [
            on_right.sum(axis=(0, 1)),
            bias.ravel(),
            [model.hardness * pulled[:, right].sum(), model.pull * pulled[:, ~right].sum()],
        ]
    )
    return float(patterns.repeats @ (most[:, 0, 0] + np.log(total[:, 0, 0]))), gradient


def _log_prior(model: ReplyModel, last: Floats, of_spreads: float) -> tuple[float, Floats]:
    """Return the logarithm of the prior density up to a constant, and its gradient."""
    import numpy as np

    mean, spread = _SKILL_PRIOR
    skill = (model.skill - mean) / spread
    bias = model.bias.ravel() / _BIAS_SPREAD
    spreads = (last[:2] - _SPREAD_PRIOR[0]) / of_spreads
    value = -(skill @ skill + bias @ bias + spreads @ spreads) / 2
    gradient = np.concatenate([-skill / spread, -bias / _BIAS_SPREAD, -spreads / of_spreads])
    return float(value), gradient
