"""What a release says of itself to people: its card, data sheet, citation, and the sources of its pictures.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
