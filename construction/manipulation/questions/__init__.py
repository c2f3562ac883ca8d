"""Questions about a natural and a manipulated image, after MVP-Bench (section 3, and step three of section 4.1).

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
