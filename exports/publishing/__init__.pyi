from .plan import FilePlan as FilePlan
from .plan import Publication as Publication
from .publish import publish as publish

__all__ = ["FilePlan", "Publication", "publish"]
