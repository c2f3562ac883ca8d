"""Campaigns in which people mark regions: starting marks, proposals, verdicts, what marks state."""
