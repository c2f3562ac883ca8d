from .mark_files import MARK_FORMATS as MARK_FORMATS
from .mark_files import MarkFormat as MarkFormat
from .mark_files import read_marks as read_marks
from .mark_files import write_marks as write_marks
from .marked_pictures import MarkedPicture as MarkedPicture
from .marked_pictures import RefusedMark as RefusedMark
from .marked_pictures import SkippedRegion as SkippedRegion
from .marked_pictures import WrittenMarks as WrittenMarks
