"""Text for people and for scripts: what exists (tables), and a kernel's woven code (show)."""
