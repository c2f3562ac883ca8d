"""The review app: Streamlit behind a gate of its own."""
