"""The stable, public surface of eigen: what a plugin imports and nothing else.

Import the modules, not this package: `from eigen_cli.api.domain import Domain`. Keeping this file
empty keeps `eigen --help` fast and makes the source of every name visible at its import.
"""
