"""The curators' pages of one campaign: guidelines, and connections of programs and services, with hours and pay."""
