"""Commands that curators start from the app: one at a time per workspace, each with a record and its output."""
