from .agreement import field_agreement as field_agreement
