"""Backends, which answer questions. To add one, write a file, a line in the room and a test."""
