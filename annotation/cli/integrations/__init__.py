"""Commands for other programs and services: tokens, webhooks, entries of crowd workers, pay."""
