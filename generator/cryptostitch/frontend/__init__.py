"""Text in: template -> rendered text -> instructions with their places."""
