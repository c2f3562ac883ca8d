from .edit_jobs import EditJob as EditJob
from .edit_jobs import finished as finished
from .manipulate import Manipulate as Manipulate
from .manipulated import Manipulated as Manipulated
from .manipulated import packed as packed
from .manipulated import unpacked as unpacked
from .pair_items import PairItems as PairItems
from .pair_items import checked as checked
