"""Campaigns in which annotators write questions, with proposals next to them."""
