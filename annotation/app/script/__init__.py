"""Streamlit's main script, in a separate folder.

Streamlit serves every module of a folder `pages` next to its main script as a page, without a session and without the
frame, so the script must not lie next to the app's own `pages`.
"""
