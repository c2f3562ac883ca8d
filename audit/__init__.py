"""The audit of an existing benchmark with all instruments that need no setup.

It may import the public packages of the rest of Benchwright; none of them imports it. `__init__.pyi` lists what it
offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
