"""The language of hypotheses: bodies, their refinement, sorts, invented predicates, parts, chains."""
