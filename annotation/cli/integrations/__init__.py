"""Commands for other programs and services: tokens, webhooks, entries for crowd workers, and pay."""
