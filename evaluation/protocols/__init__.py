"""The papers' prompts, rendered to the byte from a question and its labels."""
