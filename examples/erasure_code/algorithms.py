"""The catalogue's rows of this folder: codecs of 4 outputs (as of RS 10+4), of 4, 10 and 16 inputs."""

from cryptostitch import Algorithm, Form

INPUTS = dict.fromkeys(("sse", "avx2", "avx512"), (4, 10, 16))
BLOCKS = {(isa, k): (blocks,) for isa, blocks in (("sse", 2), ("avx2", 4), ("avx512", 16)) for k in INPUTS[isa]}

ALGORITHMS = [
    Algorithm(
        name := f"codec{outputs}",
        suite=name,
        kind="codec",
        forms=(Form(name, "streams/codec.j2", INPUTS, (1,), BLOCKS, (), paired=False),),
        parameters={"word": 64, "outputs": outputs},
        block_bytes=16,
        key_bytes=outputs,
    )
    for outputs in (4,)
]
