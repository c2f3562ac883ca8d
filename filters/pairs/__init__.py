"""Gates for manipulated pairs."""
