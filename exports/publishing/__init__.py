"""Publication of releases to a folder on another disk or to the Hugging Face Hub."""
