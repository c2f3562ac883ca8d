"""The curator's page of one image or item: its content, its history, and what can be done with it."""
