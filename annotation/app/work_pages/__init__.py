"""Pages for annotators' work that the app serves without Streamlit: their decisions, and discussions of items."""
