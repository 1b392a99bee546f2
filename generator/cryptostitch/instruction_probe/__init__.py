"""Measures what instructions cost on this machine: latency, throughput, and which of them share units."""
