"""The catalogue's rows of this folder: `cryptostitch --templates` and pair.py add them to the project's own."""

from cryptostitch import WORDS_32, Algorithm, Form

FLETCHER = Algorithm(
    "fletcher",
    suite="fletcher",
    kind="hash",
    forms=(Form("fletcher", "streams/fletcher.j2", WORDS_32),),
    parameters={"word": 32, "big_endian": False},
    word_bytes=4,
    words=2,
    digest_bytes=8,
    big_endian=False,
    initial=(0, 0),
)

ALGORITHMS = [FLETCHER]
