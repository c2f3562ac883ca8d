"""Tables, connections, migrations and the audit log: what all of the store is built on."""
