"""What a lifted relational neural network computes: activation families, aggregations and losses, each a table.

An entry of a table has its function and its slope beside each other. All that computes with neurons calls them: the
network and its compiled steps, the columns of the search, pre-training, simplification, explanations and metrics.
"""
