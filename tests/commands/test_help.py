"""Every command explains itself, and the table that lists them tells the truth."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from command_line import Eigen

from eigen_cli.main import COMMANDS, cli

DESIGNED = {
    *("evolve", "generations", "show", "eval", "evaluations", "replay", "export", "play", "plugins", "doctor"),
    *("check-domain", "completion", "diff", "tag", "gc", "verify-registry", "rollback", "push", "pull"),
}


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def test_the_table_holds_the_commands_of_the_issue() -> None:
    assert set(COMMANDS) == DESIGNED


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_repeats_a_commands_own_summary(name: str) -> None:
    first_line = (command(name).help or "").splitlines()[0]
    assert first_line == COMMANDS[name].summary
    assert len(first_line) <= 60
    assert command(name).name == name


@pytest.mark.parametrize("name", COMMANDS)
def test_help_works_and_holds_an_example_that_parses(eigen: Eigen, name: str) -> None:
    done = eigen(name, "--help")
    assert (done.code, done.err) == (0, "")
    example = re.search(r"Example: eigen (.+)", done.out)
    assert example is not None
    words = shlex.split(example[1])
    assert words[0] == name
    context = command(name).make_context(name, words[1:], parent=click.Context(cli))
    assert context.args == []


@pytest.mark.parametrize("name", [*COMMANDS, ""])
def test_every_option_has_a_help_text_and_a_full_word(name: str) -> None:
    group = command(name) if name else cli
    for option in group.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert any(len(spelling) > 3 for spelling in option.opts), option.opts


def test_root_help_lists_every_command_once(eigen: Eigen) -> None:
    done = eigen("--help")
    assert (done.code, done.err) == (0, "")
    listed = re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", done.out.partition("Commands:")[2], re.MULTILINE)
    assert listed == [*COMMANDS, "shelves"]
    assert eigen().out == done.out
