"""Photographs that curators upload in the browser, as folders for a new benchmark."""
