"""The review app: the pages that annotators and curators use in their browser, behind a sign-in."""
