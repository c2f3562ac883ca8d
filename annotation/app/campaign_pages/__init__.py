"""The curators' pages of one campaign: connections of programs and services, with hours and pay."""
