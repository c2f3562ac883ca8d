"""Fields of typed forms, checks of their values, and descriptions of both."""
