"""What reaches a terminal, and what does not."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from eigen_cli.console import Console, ReaderLeftError, aligned, redact, visible


def test_control_characters_become_visible() -> None:
    hostile = "a\x1b]0;title\x07b\x9b2Jc\rd\x7f\u202ee"
    assert visible(hostile) == "a\\u001b]0;title\\u0007b\\u009b2Jc\\u000dd\\u007f\\u202ee"
    assert visible("tab\tline\nnaïve ✓") == "tab\tline\nnaïve ✓"


def test_secrets_are_masked_by_name_longest_first() -> None:
    environ = {
        "OPENAI_API_KEY": "sk-12345",
        "LONG_TOKEN": "sk-12345-more",
        "my_secret": "pass word",
        "RETRIES_KEY": "5",
        "HOME": "/home/sk-12345x",
    }
    said = redact("sk-12345-more, sk-12345, pass word, 5", environ)
    assert said == "<LONG_TOKEN>, <OPENAI_API_KEY>, <my_secret>, 5"


def test_a_variable_that_a_setting_names_is_a_secret_too() -> None:
    environ = {"EIGEN_ROLES_AGENT_API_KEY_ENV": "MYCRED", "MYCRED": "pa55-word\n", "OTHER": "visible"}
    assert redact("pa55-word and visible, from MYCRED", environ) == "<MYCRED> and visible, from MYCRED"


def test_columns_are_aligned_and_stay_on_one_line() -> None:
    rows = [("a", "1"), ("bb\nb", "200")]
    assert aligned(rows, header=("name", "n"), right=[1]) == "name    n\na       1\nbb b  200"
    assert aligned([]) == ""


def test_json_names_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    Console().json({"schema": 1, "text": "\x9b2J\u202e\n"})
    assert capsys.readouterr().out == '{\n  "schema": 1,\n  "text": "\\u009b2J\\u202e\\n"\n}\n'
    with pytest.raises(ValueError, match="schema"):
        Console().json({"text": ""})


def test_data_goes_to_stdout_and_all_else_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    console.data("data", "red")
    console.note("note")
    console.warn("two\nlines")
    console.error("wrong", "try this")
    console.progress("never without a terminal")
    out, err = capsys.readouterr()
    assert out == "data\n"
    assert err == "note\neigen: warning: two lines\neigen: error: wrong\nhint: try this\n"


def test_a_closed_reader_is_its_own_event() -> None:
    program = (
        "import sys, time; from eigen_cli.console import Console, ReaderLeftError\n"
        "try:\n    [Console().data('x' * 9999) for _ in range(99)]\n"
        "except ReaderLeftError:\n    print('left', file=sys.stderr)\n    sys.stdout = None\n"
    )
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", program], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.stderr == "left\n"
    assert issubclass(ReaderLeftError, Exception)


PROGRAM = """
import sys
from eigen_cli.console import Console
console = Console()
console.progress("working 1/2")
console.data("red\\x1b[0m", "red")
console.progress("working 2/2")
console.note("done")
"""


def on_a_terminal(**environ: str) -> str:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=theirs, stderr=theirs, stdin=theirs, env={**os.environ, **environ}
    )
    process.wait(timeout=60)
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 4096)
        except OSError:  # Linux says so when the other end is gone
            break
        if not chunk:
            break
        shown += chunk
    os.close(ours)
    return shown.decode()


def test_a_terminal_gets_colour_and_progress_and_no_foreign_escapes() -> None:
    shown = on_a_terminal()
    assert "\x1b[31mred\\u001b[0m\x1b[0m\r\n" in shown
    assert "\rworking 1/2\r           \r" in shown
    assert shown.endswith("\rworking 2/2\r           \rdone\r\n")


def test_no_color_is_honoured() -> None:
    shown = on_a_terminal(NO_COLOR="1")
    assert "\x1b[31m" not in shown
    assert "red\\u001b[0m\r\n" in shown
