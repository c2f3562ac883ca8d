from .mark_files import MARK_FORMATS as MARK_FORMATS
from .mark_files import MarkFormat as MarkFormat
from .mark_files import read_marks as read_marks
from .mark_files import write_marks as write_marks
from .picture_marks import PictureMarks as PictureMarks
from .picture_marks import RefusedMark as RefusedMark
from .picture_marks import SkippedRegion as SkippedRegion
from .picture_marks import WrittenMarks as WrittenMarks
