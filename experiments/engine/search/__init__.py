"""Design search: finds the Pareto-best points of a space of drives, by bounds first and runs last. docs/how-to/search.md is the guide."""
