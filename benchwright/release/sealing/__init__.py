"""Sealing of splits: public items without answers, and the key file with which to unseal them."""
