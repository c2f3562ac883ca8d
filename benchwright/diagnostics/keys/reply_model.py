"""A model of replies to items with options, in which some keys are wrong and the errors of respondents are correlated.

Respondent m picks option j of item i, whose right option is t, with a probability in proportion to exp(l):

    l = b[m, j] + (s[m] + sigma z[i, t] if j == t else tau z[i, j])

- b[m, j]: how much m prefers the letter j whatever is asked (position bias).
- s[m]: the skill of m, by which it prefers the right option; at least 0, so that no reply speaks against what it says.
- z[i, .]: standard normal, shared by all respondents. On the right option it makes items hard or easy for everybody
  (sigma), on the others it makes one of them attractive to everybody (tau). This is what correlates errors: several
  respondents may agree on a wrong option because it is tempting, and sigma and tau say how often.
- The key is the right option with probability 1 - epsilon; otherwise each of the others is, with equal probability.

Skills, preferences, sigma and tau are those of greatest posterior density, with z integrated out; no key is taken to be
right beforehand. The result is the probability of each option of each item to be the right one. epsilon is not
estimated: replies alone cannot tell a wrong key from an item that misleads every respondent, so where they mislead all
of them often, an estimate would call that many keys wrong.

Sources: the latent right answer with respondents' error rates is that of A. P. Dawid and A. M. Skene, Applied
Statistics 28 (1979), 20-28, doi:10.2307/2346806; the difficulty of items beside the skill of respondents that of
J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan, "Whose vote should count more", NIPS 2009; preferences for
wrong options that of R. D. Bock, "Estimating item parameters and latent ability when responses are scored in two or
more nominal categories", Psychometrika 37 (1972), 29-51; marginal likelihood that of R. D. Bock and M. Aitkin,
Psychometrika 46 (1981), 443-459. epsilon is by default what C. G. Northcutt, A. Athalye and J. Mueller, "Pervasive
label errors in test sets", NeurIPS 2021, found on average over ten test sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS_TO_FIT, DRAWS_TO_JUDGE = 128, 512
"""Points of the quasi-random integration over z, while parameters are estimated and afterwards."""

MOST_TO_FIT = 1000
"""Items from which parameters are estimated; of more, a sample of so many."""

SKILL_PRIOR = (1.0, 2.0)
BIAS_SPREAD = 0.7
SPREAD_PRIOR = (0.0, 0.7)
"""Mean and standard deviation of log sigma and log tau."""
WRONG_KEYS = 0.034
"""Share of keys that are wrong beforehand, epsilon."""

_ITEMS_AT_ONCE = 1 << 12


class ReplyModel(NamedTuple):
    """Estimated parameters.

    Args:
        skill: (M,) skill of each respondent; 0 is chance.
        bias: (M, K) preference of each respondent for each letter.
        hardness: sigma, the spread of difficulty among items.
        pull: tau, the spread of attraction among wrong options.
        wrong: epsilon, the share of keys that are wrong beforehand.
    """

    skill: Floats
    bias: Floats
    hardness: float
    pull: float
    wrong: float


def fit_replies(counts: Floats, key: NDArray[Any], options: NDArray[Any], *, wrong: float = WRONG_KEYS) -> ReplyModel:
    """Return the parameters of greatest posterior density.

    Args:
        counts: (N, M, K) how often each respondent gave each option: 0 or 1 for a model, numbers of votes for people
            taken together.
        key: (N,) place of each item's key, from 0; below 0 where it has none, and then every option is equally likely.
        options: (N,) number of each item's options, 2 to K.
        wrong: epsilon, the share of keys that are wrong beforehand, above 0 and below 1.
    """
    import numpy as np
    from scipy.optimize import minimize

    from benchwright.seeds import generator_for

    items, respondents, letters = counts.shape
    if items > MOST_TO_FIT:
        chosen = np.sort(generator_for(0, "reply_model", "fit").choice(items, MOST_TO_FIT, replace=False))
        counts, key, options = counts[chosen], key[chosen], options[chosen]
    z = _normal_draws(letters, DRAWS_TO_FIT)
    parts = [(int(k), *_patterns(*_of_size(counts, key, options, k))) for k in np.unique(options)]
    size = respondents * (1 + letters)

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
        value, gradient = _log_prior(model, x[size:])
        for k, replies, keys, repeats in parts:
            likelihood, part = _log_likelihood(model, k, replies, keys, repeats, z)
            value, gradient = value + likelihood, gradient + part
        return -value, -gradient

    start = np.zeros(size + 2)
    start[:respondents] = SKILL_PRIOR[0]
    bounds = [(0, None)] * respondents + [(None, None)] * (len(start) - respondents)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200, "ftol": 1e-7})
    return unpacked(found.x)


def right_options(model: ReplyModel, counts: Floats, key: NDArray[Any], options: NDArray[Any]) -> Floats:
    """Return the natural logarithm of the probability of each option to be the right one, (N, K).

    It is minus infinity for options that an item does not have. Arguments are those of `fit_replies`.
    """
    import numpy as np

    z = _normal_draws(counts.shape[2], DRAWS_TO_JUDGE)
    logs = np.full((len(counts), counts.shape[2]), -np.inf)
    for k in np.unique(options):
        places = np.flatnonzero(options == k)
        table = _log_choices(model, int(k), z)
        for start in range(0, len(places), _ITEMS_AT_ONCE):
            some = places[start : start + _ITEMS_AT_ONCE]
            replies, keys = _of_size(counts[some], key[some], options[some], k)
            joint = _joint(model, int(k), replies, keys, table)
            of_truth = np.logaddexp.reduce(joint, axis=1)
            logs[some, : int(k)] = of_truth - np.logaddexp.reduce(of_truth, axis=1, keepdims=True)
    return logs


def _normal_draws(letters: int, draws: int) -> Floats:
    """Return quasi-random standard normal vectors, (R, K); the same at each call."""
    import numpy as np
    from scipy.special import ndtri
    from scipy.stats import qmc

    points = qmc.Sobol(letters, scramble=True, rng=np.random.default_rng(0)).random(draws)
    normal: Floats = ndtri(np.clip(points, 1e-9, 1 - 1e-9))
    return normal


def _of_size(counts: Floats, key: NDArray[Any], options: NDArray[Any], k: Any) -> tuple[Floats, NDArray[Any]]:
    """Return replies, (n, M x K), and keys of the items with k options."""
    some = options == k
    return counts[some][:, :, : int(k)].reshape(int(some.sum()), -1), key[some]


def _patterns(replies: Floats, keys: NDArray[Any]) -> tuple[Floats, NDArray[Any], Floats]:
    """Return the different rows of replies and keys, and how often each occurs: few models give few patterns."""
    import numpy as np

    rows, repeats = np.unique(np.column_stack([keys, replies]), axis=0, return_counts=True)
    return rows[:, 1:], rows[:, 0].astype(np.int64), repeats.astype(np.float64)


def _log_choices(model: ReplyModel, k: int, z: Floats) -> Floats:
    """Return the logarithms of choices, by draw, right option, respondent and option given: (R, k, M, k)."""
    import numpy as np

    right = np.eye(k)
    pulled = z[:, None, :k] * np.where(right, model.hardness, model.pull)
    logits = pulled[:, :, None, :] + model.bias[None, None, :, :k] + right[None, :, None, :] * model.skill[:, None]
    logs: Floats = logits - np.logaddexp.reduce(logits, axis=3, keepdims=True)
    return logs


def _joint(model: ReplyModel, k: int, replies: Floats, keys: NDArray[Any], table: Floats) -> Floats:
    """Return log(probability of draw, right option and replies), (n, R, k)."""
    import numpy as np

    draws = len(table)
    joint: Floats = (replies @ table.reshape(draws * k, -1).T).reshape(len(replies), draws, k)
    prior = np.full((len(replies), k), -np.log(k))
    keyed = np.flatnonzero(keys >= 0)
    prior[keyed] = np.log(model.wrong / (k - 1))
    prior[keyed, keys[keyed]] = np.log1p(-model.wrong)
    joint += prior[:, None, :] - np.log(draws)
    return joint


def _log_likelihood(
    model: ReplyModel, k: int, replies: Floats, keys: NDArray[Any], repeats: Floats, z: Floats
) -> tuple[float, Floats]:
    """Return the log-likelihood of the items of k options, and its gradient in the parameters of `fit_replies`.

    Args:
        model: Parameters.
        k: Number of options.
        replies: Patterns of replies, (P, M x k).
        keys: Key of each pattern.
        repeats: Number of items with each pattern.
        z: Draws, (R, K).

    The gradient of a marginal log-likelihood is the expected gradient of the complete one, under the probabilities of
    draws and right options given the replies (R. A. Fisher's identity).
    """
    import numpy as np

    respondents, letters = model.bias.shape
    table = _log_choices(model, k, z)
    joint = _joint(model, k, replies, keys, table)
    most = joint.max(axis=(1, 2), keepdims=True)
    weight = np.exp(joint - most)
    total = weight.sum(axis=(1, 2), keepdims=True)
    weight *= repeats[:, None, None] / total
    expected = (weight.reshape(len(replies), -1).T @ replies).reshape(table.shape)
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
    return float(repeats @ (most[:, 0, 0] + np.log(total[:, 0, 0]))), gradient


def _log_prior(model: ReplyModel, last: Floats) -> tuple[float, Floats]:
    """Return the logarithm of the prior density up to a constant, and its gradient."""
    import numpy as np

    mean, spread = SKILL_PRIOR
    skill = (model.skill - mean) / spread
    bias = model.bias.ravel() / BIAS_SPREAD
    spreads = (last[:2] - SPREAD_PRIOR[0]) / SPREAD_PRIOR[1]
    value = -(skill @ skill + bias @ bias + spreads @ spreads) / 2
    gradient = np.concatenate([-skill / spread, -bias / BIAS_SPREAD, -spreads / SPREAD_PRIOR[1]])
    return float(value), gradient
