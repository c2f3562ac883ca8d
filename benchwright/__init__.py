"""Benchwright: build, vet, freeze and score image-question benchmarks.

`__init__.pyi` lists what this package offers. Names load on first use, so that `import benchwright` stays light.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
