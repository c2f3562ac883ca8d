"""Gates that check manipulated pairs."""
