"""The recipe of a workspace in the browser: show it, preview the effect of a change, and apply the change."""
