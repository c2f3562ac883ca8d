"""The script that Streamlit runs for each browser session, and again after each click.

Streamlit runs it by its path, in no package: it imports by full names.
"""

from benchwright.annotation.app.frame import show_frame

show_frame()
