"""The script that Streamlit runs for each browser session, and again after each click.

Streamlit runs it by its path, outside of any package, so its imports use full names.
"""

from benchwright.annotation.app.frame import show_frame

show_frame()
