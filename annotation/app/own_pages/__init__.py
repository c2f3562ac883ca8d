"""Pages that curators get from routes of our own: their shell, their fields, and what each request must carry."""
