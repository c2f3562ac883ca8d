from .curator_acts import CuratorActs as CuratorActs
from .item_history import RecordHistory as RecordHistory
from .item_history import item_history as item_history
from .item_index import ItemIndex as ItemIndex
from .item_search import FoundRecord as FoundRecord
from .item_search import Hits as Hits
from .item_search import ItemQuery as ItemQuery
from .item_search import search as search
