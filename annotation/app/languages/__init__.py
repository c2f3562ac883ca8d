"""The languages of the app: what a session sees, and one file for each language beside English."""
