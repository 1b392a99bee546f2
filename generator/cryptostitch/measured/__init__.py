"""What was measured on known CPUs and ships with the library, a file per microarchitecture, and its readers."""
