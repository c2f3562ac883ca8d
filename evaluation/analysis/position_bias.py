"""A model's preference for certain letters: proportions of letters given and of key letters, and accuracy by key
position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.records import LETTERS
from benchwright.statistics.clustered import share_right

from ..results.score import Figure, figures
from .reply_matrix import ReplyMatrix, letter_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LetterShare(NamedTuple):
    """Counts and accuracy for one letter.

    Args:
        letter: The letter.
        keyed: Number of items with this key and a read letter.
        given: Number of items for which the model gave this letter.
        at_key: Accuracy on all asked items with this key, whether or not a letter was read.
    """

    letter: str
    keyed: int
    given: int
    at_key: Figure


class LetterBias(NamedTuple):
    """Comparison of the letters that a model gives with the keys.

    Args:
        n: Number of asked items that have a key and a read letter.
        letters: Given or keyed letters, in order.
        statistic: Stuart-Maxwell statistic, which has a chi-squared distribution with `df` degrees of freedom if the
            model favors no letter.
        df: Degrees of freedom; 0 if every given letter is the key.
        p: p-value of the test; None if no letter was read.
        moved: Effect size, 0 to 1: the smallest proportion of replies whose letter would have to change to make the
            distribution of given letters equal that of the keys; half the sum of |given - keyed| / n. None if no letter
            was read.
    """

    n: int
    letters: tuple[LetterShare, ...]
    statistic: float
    df: int
    p: float | None
    moved: float | None

    def document(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        letters = {
            share.letter: {"keyed": share.keyed, "given": share.given, "accuracy": share.at_key.model_dump(mode="json")}
            for share in self.letters
        }
        return {
            "n": self.n,
            "letters": letters,
            "statistic": self.statistic,
            "df": self.df,
            "p": self.p,
            "moved": self.moved,
        }


def letters_of_models(sheet: ReplyMatrix) -> dict[str, LetterBias]:
    """Return the comparison of each model's letters with the keys of the items that the model was asked.

    Args:
        sheet: Replies with the keys, read with a release.
    """
    key = letter_numbers(sheet.items.column("key"))
    return {
        score.title: letter_bias(sheet.letter[row, was_asked], key[was_asked], sheet.group[was_asked])
        for row, score in enumerate(sheet.scores)
        for was_asked in (sheet.asked[row],)
    }


def letter_bias(letters: NDArray[np.int8], key: NDArray[np.int8], group: NDArray[Any]) -> LetterBias:
    """Return the comparison of a model's letters with the keys of the same items.

    Given and key letters are paired, so their proportions are compared by a test of marginal homogeneity rather than
    one for independent samples. A model that is always right never favors a letter, however uneven the keys. The test
    treats items as independent.

    Args:
        letters: Index in `LETTERS` of the letter given for each asked item; below 0 if none was read.
        key: Index of the item's key; below 0 for items without a key, which are left out.
        group: Index of the item's cluster, for intervals.
    """
    import numpy as np
    from scipy.special import chdtrc  # the upper tail of chi-squared; `scipy.stats` takes four times as long to import

    letters, key, group = (column[key >= 0] for column in (letters, key, group))
    read = letters >= 0
    size = len(LETTERS)
    table = np.bincount(key[read].astype(np.int64) * size + letters[read], minlength=size * size).reshape(size, size)
    n, keyed, gave = int(read.sum()), table.sum(axis=1), table.sum(axis=0)
    statistic, df = stuart_maxwell(table)
    shares = []
    for place in np.flatnonzero(np.bincount(key, minlength=size) + gave):
        letter, is_keyed = LETTERS[place], key == place
        at_key = share_right(letters[is_keyed] == place, group[is_keyed])
        shares.append(LetterShare(letter, int(keyed[place]), int(gave[place]), figures({letter: at_key})[letter]))
    moved = float(np.abs(gave - keyed).sum()) / 2 / n if n else None
    p = float(chdtrc(df, statistic)) if df else 1.0
    return LetterBias(n, tuple(shares), statistic, df, p if n else None, moved)


def stuart_maxwell(table: NDArray[np.int64]) -> tuple[float, int]:
    """Return the statistic of the Stuart-Maxwell test of marginal homogeneity and its degrees of freedom.

    With d the row sums less the column sums, and S the matrix with S_ii = n_i. + n_.i - 2 n_ii and S_ij = -(n_ij +
    n_ji), the statistic is d' S^- d. S^- is an inverse on the range of S, whose rank equals the degrees of freedom: the
    number of categories minus the number of components connected by confusions.

    Source: A. Stuart, "A test for homogeneity of the marginal distributions in a two-way classification", Biometrika 42
    (1955), 412-416; A. E. Maxwell, British Journal of Psychiatry 116 (1970), 651-655.

    Args:
        table: Counts of paired categories, square.
    """
    import numpy as np

    d = table.sum(axis=1) - table.sum(axis=0)
    matrix = -(table + table.T).astype(np.float64)
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    rank = int(np.linalg.matrix_rank(matrix))
    # With equal sums, rounding would leave a trace below 0.
    return (max(0.0, float(d @ np.linalg.pinv(matrix, hermitian=True) @ d)), rank) if rank else (0.0, 0)
