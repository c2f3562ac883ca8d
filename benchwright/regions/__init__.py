"""Regions that annotators or models mark on pictures: points, boxes, polygons, masks; their checks and file formats.

`__init__.pyi` lists what this package offers. Names load on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
