from .auditing import AuditSettings as AuditSettings
from .auditing import audit as audit
from .findings.texts import markdown as markdown
from .findings.verdict import verdict_of as verdict_of
