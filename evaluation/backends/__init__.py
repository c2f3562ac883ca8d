"""Backends: what answers questions. Adding one costs a file, a line in the room and a test."""
