"""The script that Streamlit runs for each browser session, and again after each click."""

from ..frame import show_frame

show_frame()
