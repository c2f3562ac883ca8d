"""The plots of the curator's pages."""
