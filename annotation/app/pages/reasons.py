"""The curator's page of reasons: the frequency of each, and tasks as examples."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from ...progress.overview import Overview
from ...store.counts.campaign_counts import DecisionExample, ReasonCount
from ..base.cache import cached
from ..base.request import PageRequest
from ..base.shown_pictures import ShownPictures
from ..charts.curator_charts import counts_chart
from ..charts.showing import show_chart
from ..routes.tasks import picture_url
from ..wording.curator_texts import TEXTS, words_for

_EXAMPLES = 6
_NOTE_LENGTH = 200
"""Number of characters of a note to show."""
_STYLE = """<style>
.bw-thumb { display: flex; gap: .9rem; flex-wrap: wrap; list-style: none;
  padding: 0 !important; margin: .2rem 0 .9rem; }
.bw-thumb li { width: 11rem; margin: 0; font-size: .8rem; overflow-wrap: anywhere; }
.bw-thumb img { width: 11rem; height: 8rem; object-fit: contain; display: block;
  background: color-mix(in srgb, currentColor 8%, transparent); }
</style>"""


def show_reasons(request: PageRequest, *, items: st.Page) -> None:
    """Show the frequency of each reason with examples, and link to all items with that reason."""
    overview = Overview(request.state.store, request.campaign)
    key = (request.state.store.where, *overview.stamp(), "reasons")
    counts = cached(key, lambda: overview.reasons(examples=_EXAMPLES))
    if not counts:
        st.info(TEXTS["no_reasons"])
        return
    st.caption(TEXTS["reasons_why"])
    show_chart(counts_chart("reasons", TEXTS["reasons"], [(_name(count), count.times) for count in counts]))
    st.subheader(TEXTS["examples"])
    by_name = {_name(count): count for count in counts}
    picked = by_name[st.selectbox(TEXTS["reasons"], list(by_name))]
    st.html(_examples(picked.examples, request.state.pictures))
    query = {"campaign": request.campaign.name, "reason": picked.reason}
    st.page_link(items, label=TEXTS["see_items"], query_params=query)


def _name(count: ReasonCount) -> str:
    return f"{words_for(count.reason)} · {words_for(count.decision)}"


def _examples(examples: Sequence[DecisionExample], pictures: ShownPictures) -> str:
    return f'{_STYLE}<ul class="bw-thumb">{"".join(_example(example, pictures) for example in examples)}</ul>'


def _example(example: DecisionExample, pictures: ShownPictures) -> str:
    short = pictures.called(example.item_id, digits=8)
    alt, item = (escape(TEXTS[name].format(item=short)) for name in ("picture", "item"))
    note = escape((example.note or "")[:_NOTE_LENGTH])
    return f'<li><img src="{picture_url(example.task_id, 0)}" alt="{alt}"><div>{item}</div><div>{note}</div></li>'
