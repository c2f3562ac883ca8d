from .freeze import freeze_workspace as freeze_workspace
from .splits import assign_splits as assign_splits
