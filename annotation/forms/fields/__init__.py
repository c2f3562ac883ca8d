"""Fields of typed forms, the checks of what is entered in them, and both in words."""
