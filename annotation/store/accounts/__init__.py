"""Who may sign in, as whom, and who decides in which campaign."""
