"""Streamlit's own words, such as "Browse files", in the page's language, and a layout from right to left.

Streamlit shows English only. A script translates each of its texts that `WORDS` lists into the page's language, and a
style mirrors the parts that Streamlit fixes to the left or right. Streamlit's messages about itself, such as that its
server does not respond, are replaced in English too.
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
    "The review cannot be reached just now. Keep this page open: it continues once the connection is back, "
    "and keeps what you wrote here."
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
    "app's main page.": "There is no page at this address, or you have no access to it.",
    "The page that you have requested does not seem to exist. Running the app's main page.": (
        "There is no page at this address, or you have no access to it."
    ),
}
"""Streamlit's messages about itself, with the app's replacements."""
WORDS = Texts(_STREAMLIT, {word: word for word in _WORDS} | _IN_OURS)


def show_page_words() -> None:
    """Show Streamlit's own words in the chosen language; in English, replace Streamlit's messages about itself."""
    language = chosen_language()
    if language.direction == "rtl":
        st.html(f"<style>{(_FOLDER / 'right_to_left.css').read_text(encoding='utf-8')}</style>")
    component("benchwright_page_words", [_FOLDER / "scripts" / "page_words.js"], [])(
        key="page-words", data={word: str(WORDS[word]) for word in (_IN_OURS if language is ENGLISH else WORDS)}
    )
