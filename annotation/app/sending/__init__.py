"""Photographs that curators send to the server from the browser, as folders that a new benchmark may take."""
