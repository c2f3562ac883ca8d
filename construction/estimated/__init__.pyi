from .estimated_depth import EstimatedDepth as EstimatedDepth
