from .dataset import Dataset as Dataset
from .dataset_check import check_dataset as check_dataset
from .dataset_check import check_text as check_text
from .emu import read_emu as read_emu
from .facts import StatedFacts as StatedFacts
from .resolved_facts import resolved as resolved
