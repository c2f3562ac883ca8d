from .cluster import Node as Node
from .cluster import joined as joined
from .cluster import room_for as room_for
from .engine import RayEngine as RayEngine
from .shared_folders import SharedFolders as SharedFolders
from .shared_folders import token_in as token_in
