"""The recipe of a workspace in the browser: looked at, changed in place with what the change would do, and applied."""
