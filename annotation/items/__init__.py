"""The items of a workspace for curators: an index of all of them, search in it, one item in full, and acts on items.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
