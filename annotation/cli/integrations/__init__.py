"""Commands by which other programs and services take part: tokens, webhooks, entries of crowd workers, pay."""
