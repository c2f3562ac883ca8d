from .decode import decode_luma as decode_luma
from .decode import decode_rgb as decode_rgb
from .decode import encode_png as encode_png
from .decode import pixel_hash as pixel_hash
from .identify import Identified as Identified
from .perceptual_hash import Hashes as Hashes
from .perceptual_hash import hashes as hashes
