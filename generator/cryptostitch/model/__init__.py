"""What a loop costs at least: instruction tables, the loop-carried chain, the pressure on units."""
