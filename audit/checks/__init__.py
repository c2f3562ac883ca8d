"""The checks of the audit, one module per family; `benchwright.audit.registry` lists them."""
