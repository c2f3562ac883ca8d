"""Backends, which answer questions. Adding one takes a file, a line in the room and a test."""
