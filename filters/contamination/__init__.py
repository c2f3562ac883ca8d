"""Search for pictures that another collection also holds: hash lists, search, report."""
