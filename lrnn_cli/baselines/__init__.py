"""Learners to compare with: nFOIL and kFOIL over clauses, forests and boosted trees over counts."""
