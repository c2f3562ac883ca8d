"""Campaigns in which annotators describe pictures, from a draft or from scratch."""
