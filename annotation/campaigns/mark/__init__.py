"""Campaigns in which annotators mark regions: starting marks, proposals, verdicts, and the facts stated by marks."""
