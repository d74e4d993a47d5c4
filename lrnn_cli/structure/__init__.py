"""Structure learning: Algorithm 1 of the paper, from facts and queries alone to a deep LRNN."""
