"""Campaigns in which annotators submit photographs."""
