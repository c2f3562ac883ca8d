"""MM-SAP's three sets (paper section 3.2): what a picture plainly shows, what has to be known, what no picture tells.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
