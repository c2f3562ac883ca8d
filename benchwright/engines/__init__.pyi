from .base import Attempt as Attempt
from .local import LocalEngine as LocalEngine
from .local import default_workers as default_workers
