"""Tables, connections, migrations and the audit log: the basis of the rest of the store."""
