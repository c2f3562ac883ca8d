"""The languages of the app: the choice for a session, and one file for each language other than English."""
