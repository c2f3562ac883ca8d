"""The curators' pages that the app serves without Streamlit: page frame, fields, and checks of requests."""
