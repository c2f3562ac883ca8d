"""Fields of typed forms, checks of their values, and both in words."""
