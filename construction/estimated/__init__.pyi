from .estimated_depth import EstimatedDepth as EstimatedDepth
from .similar_pictures import PictureFeatures as PictureFeatures
from .similar_pictures import SimilarPictures as SimilarPictures
