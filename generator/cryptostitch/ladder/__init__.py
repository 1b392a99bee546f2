"""The evidence for one kernel: checks that are run on the exact bytes shipped. README.md says what each shows."""
