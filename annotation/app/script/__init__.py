"""Streamlit's main script, in a folder of its own.

Streamlit serves every module of a folder `pages` beside its main script as a page, without a session and without the
frame, so the script must not lie beside the app's own `pages`.
"""
