"""The audit: what is wrong with a benchmark that exists, found by all instruments that need no setting up.

It may import the faces of the other rooms; none of them imports it. `__init__.pyi` lists what it offers. Names load on
first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
