"""The curator's page of reasons: why people reject, and tasks to look at."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from ...progress.overview import Overview
from ...store.counts.campaign_counts import DecisionExample, ReasonCount
from ..base.cache import once
from ..base.curator_texts import TEXTS, told
from ..base.request import PageRequest
from ..charts.bars import counts_plot
from ..charts.chart_style import STYLE
from ..routes.tasks import picture_url

EXAMPLES = 6
_NOTE = 200
"""Characters of a note that are shown."""


def show(visit: PageRequest) -> None:
    """Show which reasons were given how often, with examples."""
    overview = Overview(visit.site.store, visit.campaign)
    key = (visit.site.store.where, *overview.stamp(), "reasons")
    found = once(key, lambda: overview.reasons(examples=EXAMPLES))
    if not found:
        st.info(TEXTS["no_reasons"])
        return
    st.html(STYLE)
    st.caption(TEXTS["reasons_why"])
    st.html(counts_plot(TEXTS["reasons"], [(_name(one), one.times) for one in found]))
    st.subheader(TEXTS["examples"])
    names = {_name(one): one for one in found}
    picked = names[st.selectbox(TEXTS["reasons"], list(names))]
    st.html(_examples(picked.examples))


def _name(one: ReasonCount) -> str:
    return f"{told(one.reason)} · {told(one.decision)}"


def _examples(examples: Sequence[DecisionExample]) -> str:
    return f'<ul class="bw-thumb">{"".join(map(_example, examples))}</ul>'


def _example(one: DecisionExample) -> str:
    short = one.item_id[:8]
    alt, item = (escape(TEXTS[name].format(item=short)) for name in ("picture", "item"))
    note = escape((one.note or "")[:_NOTE])
    return f'<li><img src="{picture_url(one.task_id, 0)}" alt="{alt}"><div>{item}</div><div>{note}</div></li>'
