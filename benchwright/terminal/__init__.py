"""Output of commands: cleaned, as JSON or text, with progress bars."""
