"""What backends log reaches the user while they run, and only then."""

from __future__ import annotations

import logging

import pytest

from eigen_cli.commands.remarks import remarks
from eigen_cli.console import Console


def test_information_is_a_note_and_a_warning_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("eigen.somebody")
    with remarks(Console()):
        logger.info("it is loading, %d s so far", 30)
        logger.warning("it died")
        logger.debug("nobody wants to know")
    logger.info("nobody listens")
    assert capsys.readouterr().err == "it is loading, 30 s so far\neigen: warning: it died\n"


def test_a_quiet_console_hears_warnings_alone(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    console.quiet = True
    with remarks(console):
        logging.getLogger("eigen.somebody").info("it is loading")
        logging.getLogger("eigen.somebody").warning("it died")
    assert capsys.readouterr().err == "eigen: warning: it died\n"


def test_control_characters_in_it_are_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    with remarks(Console()):
        logging.getLogger("eigen.somebody").info("%s is lost", "host\x1b[2J")
    assert capsys.readouterr().err == "host\\u001b[2J is lost\n"
