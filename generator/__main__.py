"""`python generator MODULE ARGUMENT...` runs a module of this checkout's generator, from any folder.

CMake runs the generator this way and leaves PYTHONPATH as it is: by PYTHONPATH pip tells a build which packages it has
isolated for it.
"""

import runpy
import sys

if __name__ == "__main__":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
