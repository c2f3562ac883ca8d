"""Search for pictures that another collection also contains: hash lists, the search itself and its report."""
