"""The store of results: runs over releases and versions, each named by everything that determines it."""
