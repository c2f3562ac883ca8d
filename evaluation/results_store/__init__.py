"""The store of results: runs over releases and versions, each named by what decides it."""
