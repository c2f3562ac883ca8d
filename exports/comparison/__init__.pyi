from .differences import DifferentItem as DifferentItem
from .differences import ReleaseDifferences as ReleaseDifferences
from .differences import compare_releases as compare_releases
from .page import write_page as write_page
from .rescored import Rescored as Rescored
from .rescored import rescored as rescored
