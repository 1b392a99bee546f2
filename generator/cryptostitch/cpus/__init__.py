"""What is known of CPUs and ships with the library, a folder per microarchitecture, and its readers."""
