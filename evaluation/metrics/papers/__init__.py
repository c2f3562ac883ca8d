"""The metrics of four papers, as pure functions of plain rows.

They do not depend on files, releases or readers: they take rows with answers and keys and return a `Share` that states
its denominator.
"""
