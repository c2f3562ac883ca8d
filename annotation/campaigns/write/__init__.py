"""Campaigns in which people write questions, with proposals beside them."""
