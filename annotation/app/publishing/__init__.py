"""Releases in the browser: freeze, export, download, and publish to the places configured for the server."""
