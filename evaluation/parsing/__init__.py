"""From free replies to answers: text made plain, options named by letter, word or place, refusals."""
