"""A command of a plugin: `eigen shelves`."""

import click

from eigen_tidy_library.domain import TidyLibrary


@click.command()
def shelves() -> None:
    """Count the books."""
    click.echo(sum(type(record).__name__ == "Book" for record in TidyLibrary().generate(seed=0, size=0)))
