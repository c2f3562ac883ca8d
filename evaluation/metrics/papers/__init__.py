"""Metrics of the four papers, as pure functions over plain rows.

They know nothing of files, releases or readers: rows with answers and keys go in, and a `Share` that states its
denominator comes out.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
