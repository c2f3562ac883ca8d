"""DIW: the quoted pair, and others; two lines per picture, y before x, counted from 1, JPEG data named `.thumb`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from dataset_fixtures.pictures import save

QUOTED = """\
./DIW_test/ad956b51882fce447aa5a5bb65e434366cb41aa1.thumb
118,70,257,291,>,500,333
"""


class Pair(NamedTuple):
    """One pair as its second line states it."""

    picture: str
    ya: int
    xa: int
    yb: int
    xb: int
    relation: str
    width: int
    height: int

    @property
    def lines(self) -> str:
        """Return its two lines."""
        numbers = f"{self.ya},{self.xa},{self.yb},{self.xb},{self.relation},{self.width},{self.height}"
        return f"./{self.picture}\n{numbers}\n"


def pairs(count: int = 41) -> list[Pair]:
    """Return the quoted pair and others, of which the corners touch all four edges."""
    made = [Pair("DIW_test/ad956b51882fce447aa5a5bb65e434366cb41aa1.thumb", 118, 70, 257, 291, ">", 500, 333)]
    for number in range(1, count):
        name = hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
        width, height = 90 + number, 60
        made.append(Pair(f"DIW_test/{name}.thumb", 1, width, height, 1 + number, "<>"[number % 2], width, height))
    return made


def write_diw(root: Path, count: int = 41, *, folder: str = "DIW_Annotations") -> list[Pair]:
    """Write the test split, with blank lines as some copies have; return its pairs."""
    made = pairs(count)
    (root / folder).mkdir(parents=True)
    text = "\n".join(pair.lines for pair in made)
    assert text.startswith(QUOTED)
    (root / folder / "DIW_test.csv").write_text(text, encoding="ascii")
    for number, pair in enumerate(made):
        save(root / pair.picture, 300 + number, pair.width, pair.height, "JPEG")
    return made
