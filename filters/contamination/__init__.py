"""Pictures that another collection holds too: hash lists, search, report."""
