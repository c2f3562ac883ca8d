"""The curators' pages that the app serves without Streamlit: their shell, fields, and checks of requests."""
