from .annotations import PictureAnnotations as PictureAnnotations
from .basic_vis_qa import BasicVisQa as BasicVisQa
from .beyond_vis_qa import BeyondVisQa as BeyondVisQa
from .box_questions import box_questions as box_questions
from .know_vis_qa import KnowVisQa as KnowVisQa
from .statistics import count_awareness as count_awareness
from .visual_information import kind_of as kind_of
