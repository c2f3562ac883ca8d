"""The curators' pages for trying out rules and thresholds, which the app serves without Streamlit."""
