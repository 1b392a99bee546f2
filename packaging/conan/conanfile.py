"""Conan 2: `conan create packaging/conan`.

The generator makes the kernels in an environment of its own, of requirements.txt. Or they come from a finished build:
`-c user.cryptostitch:pregenerated=$PWD/build/generated`; sources of the libraries that are linked in, which the build
fetches, likewise: `-c user.cryptostitch:sources=$PWD/build/_deps`.
"""

import sys
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

PARTS = ("cmake", "generator", "include", "probe", "runtime", "templates", "tools")


class Cryptostitch(ConanFile):
    name = "cryptostitch"
    version = "0.1.0"
    description = "Stitched and multi-buffer encryption and authentication"
    license = "Apache-2.0"
    topics = ("cryptography", "simd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}  # noqa: RUF012 (Conan's form)
    default_options = {"shared": True}  # noqa: RUF012

    def export_sources(self):
        root = Path(self.recipe_folder).parents[1]
        for name in ("CMakeLists.txt", "LICENSE", "requirements.txt", *(f"{part}/*" for part in PARTS)):
            copy(self, name, root, self.export_sources_folder, excludes=("*/__pycache__/*", "*/.learning/*"))

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration("Linux on x86-64 only")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(CST_TESTS=False, CST_BENCH=False)
        generated = self.conf.get("user.cryptostitch:pregenerated", check_type=str)
        if generated:
            toolchain.cache_variables["CST_PREGENERATED"] = generated
        else:
            toolchain.cache_variables["CST_PYTHON"] = f"{self.build_folder}/venv/bin/python"
        sources = self.conf.get("user.cryptostitch:sources", check_type=str)
        for name in ("asmjit", "sodium", "zstd") if sources else ():
            toolchain.cache_variables[f"FETCHCONTENT_SOURCE_DIR_{name.upper()}"] = f"{sources}/{name}-src"
        toolchain.generate()

    def build(self):
        if not self.conf.get("user.cryptostitch:pregenerated", check_type=str):
            venv = Path(self.build_folder) / "venv"
            self.run(f'"{sys.executable}" -m venv "{venv}"')
            self.run(f'"{venv}/bin/pip" install -q -r "{self.source_folder}/requirements.txt"')
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target=["cryptostitch", "cryptostitch_static", "cst_sum_manual"])

    def package(self):
        CMake(self).install()
        library = Path(self.package_folder) / "lib"
        rmdir(self, library / "cmake")  # Conan writes its own
        rmdir(self, library / "pkgconfig")
        for unwanted in library.glob("*.a" if self.options.shared else "*.so*"):
            unwanted.unlink()
        if not self.options.shared:  # cst-sum uses the shared library
            rmdir(self, Path(self.package_folder) / "bin")
            rmdir(self, Path(self.package_folder) / "share/man")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "cryptostitch")
        target = "cryptostitch" if self.options.shared else "static"
        self.cpp_info.set_property("cmake_target_name", f"cryptostitch::{target}")
        self.cpp_info.set_property("pkg_config_name", "cryptostitch")
        self.cpp_info.libs = ["cryptostitch"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["stdc++", "m", "pthread"]
