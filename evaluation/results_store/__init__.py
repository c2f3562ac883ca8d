"""The store of results: runs across releases and versions, each identified by everything that determines it."""
