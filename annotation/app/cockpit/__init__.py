"""The curators' pages for trying rules and thresholds, which the app serves without Streamlit."""
