from .compression import blockiness as blockiness
from .compression import chroma_coding as chroma_coding
from .compression import jpeg_quality as jpeg_quality
from .faults import FAULTS as FAULTS
from .faults import faults_of as faults_of
from .measures import frame as frame
from .step import Quality as Quality
