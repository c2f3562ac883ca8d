"""All words of the review app, in English and grouped by reader; language files translate them."""
