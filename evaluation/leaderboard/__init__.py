"""Sealed answers scored by the keeper of the key, and the leaderboard of the systems that were scored.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
