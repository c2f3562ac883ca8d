"""Writing a release: items in any order, a folder whose bytes depend on nothing but what it holds."""
