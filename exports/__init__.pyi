from .exporting.base import ExportFormat as ExportFormat
from .exporting.base import NotCarried as NotCarried
from .exporting.base import ReadItem as ReadItem
from .exporting.export import export_release as export_release
from .exporting.exported import ExportedItem as ExportedItem
from .exporting.exported import ExportHeader as ExportHeader
from .freeze import freeze_workspace as freeze_workspace
from .splits import assign_splits as assign_splits
