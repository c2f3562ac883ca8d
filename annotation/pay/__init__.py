"""What people are owed: hours measured from what they did, and the table of an invoice."""
