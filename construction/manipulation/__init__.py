"""MVP-Bench's pairs (arXiv 2410.04345, section 4): ideas for manipulations, manipulated images, questions.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
