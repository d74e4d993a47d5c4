"""SWI-Prolog in processes of its own, driven through pyswip."""
