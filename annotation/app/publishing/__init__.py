"""Releases in the browser: freeze, export, download, and publish to destinations configured for the server."""
