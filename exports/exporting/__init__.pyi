from .base import ExportFormat as ExportFormat
from .base import NotCarried as NotCarried
from .base import ReadItem as ReadItem
from .export import Export as Export
from .export import export_release as export_release
from .exported import ExportedItem as ExportedItem
from .exported import ExportedPicture as ExportedPicture
from .exported import ExportHeader as ExportHeader
