#!/bin/sh
# make check: formatters and linters over all that git tracks. Quick where nothing has changed. It needs .venv and a
# configured build folder (headers of asmjit, the generated instruction table).
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin
status=0

# check NAME COMMAND...: goes on after a failure, so that one run says everything.
check() {
    name=$1
    shift
    "$@" || { echo "check: $name found something" >&2; status=1; }
}
git ls-files -z '*.c' '*.cpp' '*.h' '*.hpp' >build/check.files
check clang-format xargs -0 "$bin/clang-format" --dry-run -Werror <build/check.files
check "ruff format" "$bin/ruff" format -q --check .
check ruff "$bin/ruff" check -q .
check "the columns" "$bin/python" cmake/check_lines.py
check "the encodings" "$bin/python" cmake/check_encoding.py
check mypy "$bin/mypy" --no-error-summary
check clang-tidy "$bin/python" cmake/check_tidy.py build
rm -f build/check.files
exit $status
