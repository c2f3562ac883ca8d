from .detected_boxes import DetectedBoxes as DetectedBoxes
from .detected_boxes import FoundThing as FoundThing
from .estimated_depth import EstimatedDepth as EstimatedDepth
from .similar_pictures import PictureFeatures as PictureFeatures
from .similar_pictures import SimilarPictures as SimilarPictures
