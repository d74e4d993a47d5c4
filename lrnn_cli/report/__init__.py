"""Tables and summaries as text."""
