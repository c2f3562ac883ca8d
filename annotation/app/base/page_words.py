"""Words that Streamlit itself shows, such as "Browse files", in the page's language; its layout from right to left.

Streamlit speaks English and knows no other language. A script puts each of its texts into the page's language where the
text stands in `WORDS`, and a style turns round what Streamlit fixes to the left or right. What it says of itself, such
as that its server does not respond, is said in words of ours in English too.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ..languages.language import ENGLISH, Texts, chosen_language
from .components import component

_FOLDER = Path(__file__).parent
_STREAMLIT = "streamlit"
_WORDS = (
    "Skip to main content", "App pages", "progress", "Open", "Choose an option", "Choose options", "Select all",
    "No results", "Clear all", "Clear value", "Clear entry", "Multiselect options", "Multiselect",
    "Selectbox options", "Selectbox", "Selected values", "No options to select.", "Remove {name}", "Add: {name}",
    "Select {count} matches", "Upload", "Add files", "Drag and drop a file here", "Drag and drop files here",
    "{size} per file", "{size} per file • {kinds}", "Increment", "Decrement", "Press Enter to apply",
    "Press Enter to submit form", "Press Ctrl+Enter to apply", "Press Ctrl+Enter to submit form",
    "Press ⌘+Enter to apply", "Fullscreen", "Close fullscreen", "Download as CSV", "Search", "Close Search",
    "Show/hide columns", "Sort ascending", "Sort descending", "Pin column", "Unpin column", "Hide column", "Autosize",
    "Format", "Copy column name", "Statistics", "Dataframe column menu", "empty", "Copy to clipboard", "Copied",
    "Show password", "Hide password", "Expand sidebar", "Collapse sidebar", "{count} more", "View less",
    "View {count} more", "Running...", "Stop", "Close", "Help", "Help for {name}", "Show suggestions", "Connecting",
    "Please wait...",
)  # fmt: skip
_AWAY = (
    "The review cannot be reached just now. Leave this page open: it goes on by itself once the connection is back, "
    "and what you wrote here stays."
)
_IN_OURS = {
    "Connection error": "No connection",
    "Streamlit server is not responding. Are you connected to the internet?": _AWAY,
    "Is Streamlit still running? If you accidentally stopped Streamlit, just restart it in your terminal:": _AWAY,
    "Connection lost. Please wait for the app to reconnect, then try again.": (
        "The connection was lost. Wait until it is back, and send the file again."
    ),
    "Page not found": "There is no such page",
    "You have requested page /{page}, but no corresponding file was found in the app's pages/ directory. Running the "
    "app's main page.": "There is no page at this address, or none for you.",
    "The page that you have requested does not seem to exist. Running the app's main page.": (
        "There is no page at this address, or none for you."
    ),
}
"""What Streamlit says of itself, in our words."""
WORDS = Texts(_STREAMLIT, {word: word for word in _WORDS} | _IN_OURS)


def show_page_words() -> None:
    """Have Streamlit's own words shown in the chosen language; in English, what it says of itself in ours."""
    language = chosen_language()
    if language.direction == "rtl":
        st.html(f"<style>{(_FOLDER / 'right_to_left.css').read_text(encoding='utf-8')}</style>")
    component("benchwright_page_words", [_FOLDER / "scripts" / "page_words.js"], [])(
        key="page-words", data={word: str(WORDS[word]) for word in (_IN_OURS if language is ENGLISH else WORDS)}
    )
