"""The curators' pages for one campaign: guidelines, and connections to programs and services, with hours and pay."""
