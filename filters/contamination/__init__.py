"""Search for pictures that another collection also contains: hash lists, search, report."""
