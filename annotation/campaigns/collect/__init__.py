"""Campaigns in which people bring photographs."""
