"""The command line. Thin: every command (commands/*.py) calls pipeline, emit, trial, measure, runtime or report."""

from __future__ import annotations

import gc
import sys

import click

from . import __version__
from .commands.benching import bench
from .commands.calibrating import calibrate, cpu
from .commands.common import Group
from .commands.configuring import openssl_config
from .commands.emitting import emit
from .commands.help import Context
from .commands.learning import learn
from .commands.looking import list_, show
from .commands.matrix import matrix
from .commands.model import bound, predict, probe
from .commands.mutating import mutate
from .commands.packing import pack
from .commands.pairing import stitch
from .commands.picturing import report
from .commands.regretting import regret
from .commands.trusting import verify
from .commands.tuning import tune


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="cryptostitch")
def main() -> None:
    """Generates stitched and multi-buffer kernels for encryption and authentication.

    \b
    Example: cryptostitch stitch aes128_cbc_enc_x16 sha1_x16 --isa avx512
    """
    # Instructions and terms are small, many and without cycles: the collector's usual pace takes a third of the time.
    gc.set_threshold(100_000, 50, 50)


for _command in (
    list_,
    show,
    stitch,
    matrix,
    tune,
    emit,
    pack,
    verify,
    mutate,
    cpu,
    calibrate,
    regret,
    learn,
    probe,
    bound,
    predict,
    report,
    bench,
    openssl_config,
):
    main.add_command(_command)
for _each in (main, *main.commands.values()):
    _each.context_class = Context

if __name__ == "__main__":
    sys.exit(main())
