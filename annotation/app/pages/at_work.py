"""The annotators at work, on the curator's page *Progress*: their names, current pictures and start times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape

import streamlit as st

from benchwright.texts.hidden_characters import escaped

from ...store.counts.at_work import AtWork
from ..base.shown_pictures import ShownPictures
from ..base.tables import TABLE_STYLE, THUMBNAIL_STYLE, thumbnail_html
from ..languages.language import chosen_language
from ..routes.tasks import picture_url
from ..wording.curator_texts import TEXTS

_STYLE = f"{TABLE_STYLE}{THUMBNAIL_STYLE}.bw-at-work td {{ vertical-align: middle; }}"


def show_at_work(people: Sequence[AtWork], pictures: ShownPictures, *, now: datetime) -> None:
    """Show the annotators who hold tasks, latest start first, or nothing if no task is held."""
    if not people:
        return
    st.subheader(TEXTS["at_work"])
    st.caption(TEXTS["at_work_why"])
    heads = [TEXTS[name] for name in ("name", "at_work_picture", "item_id", "at_work_minutes", "at_work_today")]
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(_line(each, pictures, now=now) for each in people)
    st.html(
        f'<style>{_STYLE}</style><div class="bw-wide bw-at-work" role="region" tabindex="0" '
        f'aria-label="{escape(TEXTS["at_work"])}"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _line(each: AtWork, pictures: ShownPictures, *, now: datetime) -> str:
    item, picture = TEXTS["at_work_check"], ""
    if each.task_id is not None and each.item_id is not None:
        item = escaped(pictures.called(each.item_id, digits=12))
        picture = thumbnail_html(picture_url(each.task_id, 0))
    minutes = chosen_language().number(max(0.0, (now - each.since).total_seconds() / 60), ".0f")
    cells = [f"<bdi>{escape(escaped(each.annotator))}</bdi>", picture, f"<bdi>{escape(item)}</bdi>", minutes]
    cells.append(chosen_language().number(each.today, ","))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
