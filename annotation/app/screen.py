"""The script that Streamlit runs for each browser session, and again on each click: it shows the frame."""

from benchwright.annotation.app.frame import show

show()
