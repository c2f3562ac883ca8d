"""Releases in the browser: frozen, exported, downloaded, and published to the places that the server was given."""
