from .auditing import AuditSettings as AuditSettings
from .auditing import audit as audit
from .texts import markdown as markdown
from .verdict import verdict_of as verdict_of
