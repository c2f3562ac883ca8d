"""Which option a row's key names: forms of keys, their evidence, and what is said of them."""
