"""Rights in what is released: what may not be passed on, how it is fetched, and what is withdrawn."""
