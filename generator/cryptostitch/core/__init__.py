"""The ground floor: plain data that every other room shares, and nothing that computes more than a name."""
