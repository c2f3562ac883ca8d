"""Releases published: to a folder of another disk, or to the Hugging Face Hub."""
