"""Exports to other tools' formats: the walk over a release, what lies beside, reading back and comparing.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
