"""All words of the review app, in English, by who reads them; languages translate them."""
