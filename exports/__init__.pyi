from .exporting import ExportedItem as ExportedItem
from .exporting import ExportFormat as ExportFormat
from .exporting import ExportHeader as ExportHeader
from .exporting import NotCarried as NotCarried
from .exporting import ReadItem as ReadItem
from .exporting import export_release as export_release
from .freeze import freeze_workspace as freeze_workspace
from .splits import assign_splits as assign_splits
