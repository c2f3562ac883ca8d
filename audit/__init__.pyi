from .keys.power import least_difference as least_difference
from .report import AuditSettings as AuditSettings
from .report import audit as audit
from .texts import markdown as markdown
from .verdict import verdict_of as verdict_of
