"""The checks of the audit, with one module per family; `benchwright.audit.registry` lists them."""
