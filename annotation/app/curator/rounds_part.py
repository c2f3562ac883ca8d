"""Parts of the page of progress: what became of items round by round, and what adjudicators decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from ...rulings import Rulings
from ...standing import InRound
from .bars import counts_plot, parts_plot
from .texts import TEXTS, told


def show_rounds(rounds: Sequence[InRound]) -> None:
    """Show how many items came to each round, and what became of them; nothing before the second one."""
    if len(rounds) < 2:
        return
    st.subheader(TEXTS["rounds"])
    st.caption(TEXTS["rounds_why"])
    st.html(parts_plot(TEXTS["items"], [(TEXTS["nth_round"].format(round=one.round), one.parts) for one in rounds]))


def show_rulings(rulings: Rulings) -> None:
    """Show who decided what, and how that stands to what annotators had said."""
    if not rulings.cases:
        return
    st.subheader(TEXTS["adjudicated"])
    st.caption(TEXTS["adjudicated_why"].format(cases=rulings.cases, against=rulings.against))
    decisions = sorted({one.decision for one in rulings.ruled})
    by_name: dict[str, Counter[str]] = {}
    for one in rulings.ruled:
        by_name.setdefault(one.adjudicator, Counter())[one.decision] += one.times
    rows = [(name, {decision: counts[decision] for decision in decisions}) for name, counts in sorted(by_name.items())]
    st.html(parts_plot(TEXTS["by_adjudicator"], rows))
    st.html(_by_said(rulings))


def _by_said(rulings: Rulings) -> str:
    times = Counter[tuple[str, str, bool]]()
    for one in rulings.ruled:
        times[one.decision, one.said, one.is_against] += one.times
    ranked = sorted(times.items(), key=lambda one: (-one[1], one[0]))
    names = [TEXTS["where_said"].format(decision=told(decision), said=told(said)) for (decision, said, _), _ in ranked]
    words = [TEXTS["against"].format(times=count) if against else str(count) for (*_, against), count in ranked]
    counts = [(name, count) for name, (_, count) in zip(names, ranked, strict=True)]
    return counts_plot(TEXTS["by_said"], counts, words=words)
