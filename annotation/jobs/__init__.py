"""Commands that curators start from the app, one at a time per workspace; each has a record and an output file."""
