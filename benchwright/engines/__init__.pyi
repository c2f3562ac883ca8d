from .base import Attempt as Attempt
from .local import LocalEngine as LocalEngine
from .local import default_workers as default_workers
from .local import processors as processors
from .progress_slot import ProgressSlot as ProgressSlot
from .starting import uninterrupted as uninterrupted
