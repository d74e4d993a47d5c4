"""What a lifted relational neural network computes: activation families, aggregations, losses, kinds of targets.

Each of them is a table, and an entry of it has its function and its slope beside each other. All that computes with
neurons calls them: the network and its compiled steps, the columns of the search, pre-training, simplification,
explanations and metrics.
"""
