"""A CPU's folder made on such a CPU: `cryptostitch learn`."""
