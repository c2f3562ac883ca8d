from .base import MaskRequest as MaskRequest
from .sam_architecture import load_sam as load_sam
from .sam_import import segment_anything as segment_anything
from .sam_package import SamPackage as SamPackage
from .sam_transformers import SamOfTransformers as SamOfTransformers
