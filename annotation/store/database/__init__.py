"""Tables, connections, migrations and the audit log, on which the rest of the store is built."""
