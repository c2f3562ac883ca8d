"""Releases in the browser: freeze, export, download, and publish to the destinations configured for the server."""
