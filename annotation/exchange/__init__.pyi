from .agreed_marks import agreed_marks as agreed_marks
from .decision_file import import_decisions as import_decisions
from .task_file import export_tasks as export_tasks
from .unused_photographs import unused_in as unused_in
