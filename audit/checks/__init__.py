"""The checks of the audit, a module for each family; `benchwright.audit.registry` lists them."""
