"""Sealing of splits: public items without answers, and the key file that unseals them."""
