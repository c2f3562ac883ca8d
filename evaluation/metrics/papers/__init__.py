"""Metrics of the four papers, as pure functions over plain rows.

They do not depend on files, releases or readers: they take rows with answers and keys and return a `Share` that states
its denominator.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
