"""The table has a row for everything that the library, the Python package and the Rust crate offer, and no other."""

from __future__ import annotations

import ctypes
import subprocess

import cryptostitch
import pytest
from api_table import faces, header
from api_table.cases import CASES
from api_table.frame import offset_of, role_of
from api_table.roles import Buffer, Callback, Made, Pointers, Role, StructPointers, Structs, Text
from api_table.rows import ENTRIES, LAYOUTS, STRUCTS

FOR_DEBUGGERS = {"__jit_debug_descriptor", "__jit_debug_register_code"}
"""GDB's interface (README.md, "Kernels in perf and gdb")."""


def exported(library: str) -> set[str]:
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = (line.split() for line in listed.stdout.splitlines())
    return {name.partition("@")[0] for _, kind, name in names if kind != "A"}  # A: the node of the symbol versions


def differences(rows: set[str], found: set[str]) -> str:
    """A sentence about rows that are missing or left over; empty: there are none."""
    missing, stale = sorted(found - rows), sorted(rows - found)
    return "; ".join([f"no row for {each}" for each in missing] + [f"{each} is gone" for each in stale])


def test_every_function_has_a_row(library: str) -> None:
    assert not differences(set(ENTRIES), exported(library) - FOR_DEBUGGERS)
    assert not differences(set(ENTRIES), set(header.functions()))


def test_a_function_without_a_row_is_seen() -> None:
    assert differences({"cst_a", "cst_b"}, {"cst_b", "cst_c"}) == "no row for cst_c; cst_a is gone"


def test_every_function_has_a_right_call() -> None:
    assert not differences({case.entry for case in CASES.values()}, set(ENTRIES))


@pytest.mark.parametrize("name", ENTRIES)
def test_rows_fit_the_header(name: str) -> None:
    declared = {each.name: each for each in header.functions()[name].parameters}
    left_out = {"arg"}  # a callback's own argument
    assert not set(ENTRIES[name].roles) - set(declared)
    for parameter in declared.values():
        role = role_of(ENTRIES[name], parameter)
        assert role or parameter.name in left_out, f"no row for {parameter.name}"
        if role:
            fits(parameter, role)


def fits(declared: header.Declared, role: Role) -> None:
    """Whether the header's type can have this role: what is const is not written, numbers have no star."""
    match role:
        case Made() | Pointers() | StructPointers():
            assert declared.stars == 2
        case Structs():
            assert declared.stars == 1 and declared.type == role.name and declared.const == (not role.use.written)
        case Text():
            assert declared.stars == 1 and declared.type == "char" and declared.const
        case Callback():
            assert declared.type == "callback"
        case Buffer():
            assert declared.stars == 1 and not (declared.const and role.use.written)
        case _:
            assert declared.stars in (0, 1)


def test_a_row_that_does_not_fit_is_seen() -> None:
    with pytest.raises(AssertionError):
        fits(header.Declared("in", "void", 1, const=True), Buffer("in_len", STRUCTS["cst_part"]["state"].use))


@pytest.mark.parametrize("name", header.structs())
def test_structs_fit_the_header(name: str) -> None:
    members = {each.name: each for each in header.structs()[name]}
    laid_out = [field[0].rstrip("_") for field in LAYOUTS[name]._fields_]
    assert laid_out == list(members)
    for member, declared in members.items():
        if not declared.stars and declared.type in header.SCALARS and declared.type != "char":
            wanted = ctypes.sizeof(declared.number)
            assert offset_of(name, member).size % wanted == 0, member
    if name in STRUCTS and name != "cst_piece":
        assert set(STRUCTS[name]) == set(members) - {"size"}


def test_every_struct_has_a_layout() -> None:
    assert not differences(set(LAYOUTS), set(header.structs()))


def test_every_name_of_the_python_package_has_a_row() -> None:
    assert not differences(set(faces.PYTHON), set(cryptostitch.__all__) - {"__version__"})
    assert not differences({*faces.PYTHON, *faces.GENERATOR}, set(cryptostitch._HOMES))
    for name, methods in faces.METHODS.items():
        public = {each for each in dir(getattr(cryptostitch, name)) if not each.startswith("_")}
        assert not differences(set(methods), public), name


def test_every_public_function_of_the_rust_crate_has_a_row() -> None:
    found = {
        file.stem: set(names)
        for file in faces.RUST_SOURCES.glob("*.rs")
        if (names := [*faces.rust_functions(file.read_text())])
    }
    assert not differences(set(faces.RUST), set(found))
    for module, names in found.items():
        assert not differences(set(faces.RUST[module]), names), module


def test_rows_of_python_and_rust_name_functions_of_the_library() -> None:
    tables = [faces.PYTHON, *faces.METHODS.values(), *faces.RUST.values()]
    named = {entry for table in tables for entries in table.values() for entry in entries.split()}
    assert not named - set(ENTRIES)
