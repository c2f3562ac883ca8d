from .agreement import annotators as annotators
from .backup import restore as restore
from .invitations import invite as invite
from .kept import table_text as table_text
from .marks import export_marks as export_marks
from .marks import unused_marks as unused_marks
from .tasks import assignment_settings_of as assignment_settings_of
from .tasks import open_ as open_
