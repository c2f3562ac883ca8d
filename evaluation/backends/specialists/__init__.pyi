from .edge_continuity import corner_cost as corner_cost
from .edge_continuity import seam_cost as seam_cost
from .local_features import distances as distances
