from .benchmarks import Benchmark as Benchmark
from .benchmarks import recount as recount
from .blink import OPTIONS as OPTIONS
from .blink import read_choice as read_choice
from .blink import read_outputs as read_outputs
from .cells import Recount as Recount
from .importing import PICTURES as PICTURES
from .importing import import_published as import_published
