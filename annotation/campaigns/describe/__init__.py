"""Campaigns in which people describe pictures, from a draft or from nothing."""
