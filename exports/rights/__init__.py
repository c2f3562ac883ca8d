"""Rights in what is released: what may not be passed on, how it is fetched, and what is withdrawn.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
