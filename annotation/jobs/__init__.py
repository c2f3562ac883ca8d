"""Commands that curators start from the app: one at a time for a workspace, each with its record and its output."""
