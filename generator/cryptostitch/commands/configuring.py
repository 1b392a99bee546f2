"""`cryptostitch openssl-config`: the lines of openssl.cnf for the provider, and what OpenSSL makes of a file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from .common import format_option


@click.command("openssl-config")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--module", type=click.Path(path_type=Path), help="The provider; the default is this build's.")
@format_option
def openssl_config(file, module, fmt) -> None:
    """Print the lines of openssl.cnf that put the provider to use; or say what comes of a FILE: which providers are
    active, and which ciphers come from which. It ends with 1 if something is missing.

    \b
    Examples:
      cryptostitch openssl-config >/tmp/openssl.cnf && OPENSSL_CONF=/tmp/openssl.cnf openssl list -providers
      cryptostitch openssl-config /etc/ssl/openssl.cnf
    """
    from ..binding import openssl

    if file is None:
        path = (module or openssl.module()).resolve()
        text = openssl.configuration(path)
        click.echo(json.dumps({"module": str(path), "text": text}, indent=1) if fmt == "json" else text, nl=False)
        return
    found = openssl.ask(file.resolve())
    if fmt == "json":
        click.echo(json.dumps(dataclasses.asdict(found) | {"complaints": found.complaints}, indent=1))
    else:
        click.echo(f"{found.openssl}; providers: {', '.join(found.providers) or 'none of these two'}")
        width = max(map(len, found.ciphers))
        for name, provider in found.ciphers.items():
            click.echo(f"{name:{width}}  {provider or 'missing'}")
        for complaint in found.complaints:
            click.echo(complaint)
    if found.complaints:
        raise SystemExit(1)
