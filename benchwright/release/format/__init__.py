"""The release format: files and rows, what they say, and their reader."""
