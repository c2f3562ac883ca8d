"""What sets of questions about implications hold, as II-Bench counts it (paper section 3.3 and appendix A).

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
