from .adjudicating import AdjudicatorWork as AdjudicatorWork
from .annotating import AnnotatorWork as AnnotatorWork
from .practising import PracticeWork as PracticeWork
from .work import Work as Work
from .work import work_state as work_state
from .workbench import show_workbench as show_workbench
