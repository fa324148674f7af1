"""Design search: finds the Pareto-best points of a space of drives, by bounds first and runs last. docs/search.md is the guide."""
