"""The release format: files, rows and documents, and their reader."""
