"""Publication of releases in a folder on another disk or on the Hugging Face Hub."""
