"""The plots of the curators' pages."""
