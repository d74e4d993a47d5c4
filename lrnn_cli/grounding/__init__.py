"""From a template and data to tables of groundings."""
