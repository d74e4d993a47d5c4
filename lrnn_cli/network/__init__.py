"""From groundings to layered arrays, and values and gradients through them."""
