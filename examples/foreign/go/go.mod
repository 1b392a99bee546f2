module cryptostitch/examples/seal

go 1.21
