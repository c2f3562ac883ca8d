"""The list of items and images: search, filters, saved views, and acts on many items at once."""
