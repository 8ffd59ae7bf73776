"""`python -m eigen_cli` is `eigen`."""

from eigen_cli.main import main

main()
