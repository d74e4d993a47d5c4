"""Grounding by joins of facts in memory, for what is learned."""
