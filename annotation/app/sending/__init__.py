"""Photographs that curators upload in the browser, stored as folders for a new benchmark."""
