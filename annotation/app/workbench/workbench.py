"""The workbench on a Streamlit page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.components import component
from ..base.page_formulas import FORMULA_SCRIPT, FORMULA_STYLE
from ..languages.language import for_browser
from ..marking import SCRIPTS as MARKING_SCRIPTS
from ..marking import STYLE as MARKING_STYLE
from ..task_card.card import FOLDER as CARD
from ..task_card.card import SCRIPTS as CARD_SCRIPTS
from ..task_card.card import STYLE as CARD_STYLE
from ..viewer.viewer import FOLDER as VIEWER
from ..viewer.viewer import SCRIPTS as VIEWER_SCRIPTS
from ..viewer.viewer import STYLE as VIEWER_STYLE
from ..wording.conversation_texts import TEXTS as CONVERSATION_TEXTS
from ..wording.marking_texts import TEXTS as MARKING_TEXTS
from ..wording.texts import TEXTS
from ..wording.viewer_texts import TEXTS as VIEWER_TEXTS

_FOLDER = Path(__file__).parent
_SCRIPTS = ("outbox.js", "key_sheet.js", "workbench.js")
_WORDS = (
    "question", "right", "declines", "accept", "reject", "revise", "skip", "undo", "note", "note_hint", "reasons",
    "needs_reason", "needs_why", "needs_note", "needs_evidence", "needs_choice", "needs_option", "needs_text",
    "needs_lines",
    "needs_photograph", "letter_is_option", "choose_photograph", "photograph_size", "photograph_sent",
    "photograph_failed", "answer", "submit", "saved", "not_saved", "said", "moved_on", "needs_edits", "edit_item",
    "right_option", "explanation", "choice", "send_back", "take_edits", "answers", "needs_own_edits", "remarks",
    "remark", "remark_hint", "comment", "flag", "commented", "flagged", "other_window", "behind",
    "decided_elsewhere", "keys", "keys_close", "keys_layout", "keys_touch", "next_comes", "not_sent", "sent_again",
    "not_taken", "comes_again", "said_was", "lost_task", "dismiss", "next", "add_entry", "remove_entry",
    "move_up", "move_down",
    "mend_first", "to_writer", "needs_change",
    "needs_entries", "needs_pictures", "needs_draft", "section_missing", "section_done", "section_empty", "drafts_wait",
    "attacked_by", "attack_broken", "attack_held", "attack_not_made", "not_drafted",
    "accept_all", "discard_all", "accept_draft", "discard_draft", "drafted_by", "accepted_from", "edited_from",
    "find_picture", "picture_name", "pictures_found", "pictures_coming", "not_seen",
)  # fmt: skip


def show_workbench(
    state: dict[str, Any],
    *,
    url: str,
    account: str,
    campaign: str,
    reruns: bool = False,
    leases: bool = True,
    on_over: Callable[[], None] = lambda: None,
) -> None:
    """Show the account's held tasks, the first with its pictures and card.

    The user's actions are sent to `url` without rerunning the page. The page reruns once no tasks are left or the
    session ends.

    Args:
        state: The tasks to do, from `work_state`.
        url: Route that receives the actions.
        account: Name of the account, under which the browser keeps unsent actions.
        campaign: Name of the campaign.
        reruns: Whether the page also reruns after each decision; default False.
        leases: Whether the tasks are leased to the account, so that those not viewed are returned; default True.
        on_over: Function to call before the page reruns; default one that does nothing.
    """
    scripts = [
        FORMULA_SCRIPT,
        *(VIEWER / name for name in VIEWER_SCRIPTS),
        *(CARD / name for name in CARD_SCRIPTS),
        *MARKING_SCRIPTS,
        *(_FOLDER / name for name in _SCRIPTS),
    ]
    styles = [FORMULA_STYLE, VIEWER / VIEWER_STYLE, CARD / CARD_STYLE, MARKING_STYLE, _FOLDER / "workbench.css"]
    component("benchwright_workbench", scripts, styles)(
        key=f"workbench-{url}-{campaign}",
        data={
            "texts": {
                **for_browser({name: TEXTS[name] for name in _WORDS}),
                **for_browser({name: CONVERSATION_TEXTS[name] for name in ("message_from", "message_read")}),
                "viewer": for_browser(VIEWER_TEXTS),
                "marking": for_browser(MARKING_TEXTS),
            },
            "account": account,
            "campaign": campaign,
            "url": url,
            "reruns": reruns,
            "leases": leases and not reruns,
            "state": state,
        },
        on_over_change=on_over,
    )
