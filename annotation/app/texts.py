"""Every word that the app says, in one place."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str] = {
    # Doors
    "sign_in": "Sign in",
    "sign_in_why": "Review items for a benchmark.",
    "name": "Name",
    "password": "Password",
    "new_password": "New password",
    "again": "The same again",
    "set_password": "Set password and start",
    "welcome": "Welcome, {name}",
    "welcome_why": "Choose a password of at least {shortest} characters.",
    "wrong": "Name or password is wrong.",
    "wait": "Too many attempts. Try again in {seconds} seconds.",
    "form_expired": "This form was open too long, or cookies are off. Please try again.",
    "not_the_same": "The two passwords differ.",
    "no_invitation": "This invitation is used up or has ended. Ask a curator for a new one.",
    "sorry": "That did not work",
    "sign_out": "Sign out",
    "sign_out_everywhere": "Sign out everywhere",
    "sign_in_by_provider": "Sign in by your organisation",
    "oidc_failed": "Signing in by your organisation does not work at present. Please try again, or tell a curator.",
    "oidc_refused": "Your organisation did not sign you in.",
    "oidc_unknown": "You have no account here yet. Ask a curator for an invitation, and follow its link.",
    "signed_in_as": "You are signed in as {name}.",
    "back": "Back to the review",
    # Frame
    "review": "Review",
    "history": "My decisions",
    "progress": "Progress",
    "people": "People",
    "campaign": "Campaign",
    "session_over": "Your session has ended. Please sign in again.",
    "no_campaigns": "There is nothing to review yet: run a recipe with a step such as `verify` first.",
    "simulated_campaign": "Simulated annotators decide in this campaign. There is nothing for people to do.",
    # Task
    "guidelines": "Guidelines, version {version}",
    "mine_done": "{done} decided, {left} to go",
    "question": "Question",
    "image": "Image {place}",
    "choice": "Option {key}",
    "choices_of": "option {keys}",
    "alt": "{caption} of this task",
    "right": "marked as right",
    "declines": "marked as right: nothing in the picture answers",
    "accept": "Accept",
    "reject": "Reject",
    "revise": "Revise",
    "skip": "Skip",
    "undo": "Undo last",
    "note": "Note",
    "note_hint": "What is wrong, or what to change (N)",
    "reasons": "Reasons",
    "needs_reason": "Pick at least one reason (keys 1 to {count}), then press X again.",
    "needs_note": "Write what to change, then press E again (or Ctrl+Enter).",
    "needs_edits": "Change what is wrong (or write a note with N), then press E again, or Ctrl+Enter while writing.",
    "edit_item": "Edit the item",
    "right_option": "Right option",
    "explanation": "Explanation",
    "needs_choice": "Pick an option first (keys 1 to {count}).",
    "needs_option": "Pick an option of “{field}” (number keys), then press Enter again.",
    "needs_text": "Fill in “{field}”, then press Enter again (Ctrl+Enter while writing).",
    "needs_photograph": "Choose a photograph (P), then press Enter again.",
    "choose_photograph": "Choose a file",
    "photograph_sent": "Sending…",
    "photograph_size": "{width} × {height} pixels",
    "photograph_failed": "Not sent: no connection",
    "needs_lines": "“{field}” takes {count} lines. Fill them in, then press Ctrl+Enter again.",
    "answer": "Answer",
    "submit": "Done",
    "saved": "Draft saved",
    "not_saved": "Draft not saved: no connection",
    "keys_verify": (
        "A accept · X reject · E edit or ask for revision · S skip · U undo · 1–9 reasons · N note (Esc leaves it) · "
        "O marks · M compare · + − 0 zoom"
    ),
    "keys_answer": (
        "1–9 pick an option · Enter answers · S skip · U undo · N note (Esc leaves it) · O marks · M compare · "
        "+ − 0 zoom"
    ),
    "keys_collect": (
        "1–9 pick an option · F next field · P choose a photograph · N write (Esc leaves it) · Enter done · S skip · "
        "U undo"
    ),
    "keys_form": (
        "1–9 pick an option · F next field · N write (Esc leaves it) · Enter done · S skip · U undo · O marks · "
        "M compare · + − 0 zoom"
    ),
    "keys_review": (
        "1 yes, 2 no · F next vote · E edit the item · N note (Esc leaves it) · Enter done · S skip · U undo · "
        "O marks · M compare · + − 0 zoom"
    ),
    "answered": "You answered",
    "said": "You said “{decision}” before. What you decide now replaces it; the earlier decision stays on record.",
    "moved_on": "The item has changed since. This decision cannot be changed any more.",
    "gone": "That task is not yours, or not any more. Here is the next one.",
    "all_done": "All done",
    "all_done_why": "There is no task left for you in this campaign. Thank you.",
    "taken_by_field": "Answered",
    "nothing_to_undo": "Nothing to undo: you have not decided anything here yet.",
    # Adjudication
    "adjudicate": "Adjudicate",
    "answers": "What annotators said",
    "annotator_n": "Annotator {number}",
    "send_back": "Send back",
    "take_edits": "Take these edits",
    "needs_own_edits": "Edit the item, or take up edits by number, then press E again (Ctrl+Enter while writing).",
    "keys_adjudicate": (
        "A accept · X reject · E edit the item, again to be done · 1–9 take up an annotator's edits · "
        "W send back to others · S skip · N note (Esc leaves it) · O marks · M compare · + − 0 zoom"
    ),
    "no_adjudicator": "This campaign has no adjudicator: its rule is {rule}.",
    "cases_left": "{waits} wait for you, {more} more are divided",
    "no_cases": "There is nothing for you to adjudicate now.",
    "last_round": "This is the last round: a revision would not come again.",
    "round_n": "Round {round}",
    "decided_by_you": "Decided by you",
    "decided_why": "The latest first, with who said what.",
    "decision": "Decision",
    "undecided": "Left open",
    # History
    "history_why": "Your decisions, the latest first. Open one to change it.",
    "nothing_said": "You have not decided anything yet.",
    "open": "Open",
    "changed": "changed",
    "edited_question": "question edited",
    "edited_choices": "options edited",
    "edited_right": "right option changed",
    "edited_explanation": "explanation edited",
    # Progress
    "tasks_done": "Tasks decided",
    "slots_done": "Decisions in",
    "annotators": "Annotators",
    "agreement": "Agreement",
    "undefined": "undefined",
    "by_task": "By kind of task",
    "answers_given": "What was found",
    "share_of_items": "Share of items",
    "notes": "Notes",
    "closed": "Every task is decided. Go on with the recipe: run the same command again.",
    # People
    "people_why": "Who may sign in. An invitation link is good once, for a week; send it to that person only.",
    "add": "Add",
    "role": "Role",
    "invite": "Add and invite",
    "invite_again": "New invitation",
    "invitation_for": "Invitation for {name}, shown once:",
    "disable": "Lock out",
    "enable": "Let in again",
    "state_locked": "locked out",
    "state_invited": "invited",
    "state_open": "can sign in",
    "state_closed": "no password yet",
}
