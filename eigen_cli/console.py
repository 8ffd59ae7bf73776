"""The only writer to stdout and stderr: data goes to stdout, everything said about it to stderr.

Text that came out of a model is data. Here every control character in it becomes visible, so that a reply can
neither move the cursor nor retitle the terminal, and nothing is ever read as markup.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal, NamedTuple

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_ANSI: dict[Style, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

# Plain tables and tuples where regular expressions would do: compiling two costs every command 4 ms.
_CONTROLS = (
    *range(0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    0x061C,
    *(0x200E, 0x200F, 0x2028, 0x2029),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS}
_SECRET_SUFFIXES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_NAMES_A_SECRET = "_API_KEY_ENV"
_SHORTEST_SECRET = 6
"""Values shorter than this are flags and numbers; masking them would blank out ordinary text."""


def visible(text: str) -> str:
    """Return the text with every control character but newline and tab written as an escape (`\\u001b`)."""
    return text.translate(_ESCAPES)


def redact(text: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the text with the value of every variable named `*_KEY`, `*_TOKEN`, `*_SECRET` or `*_PASSWORD` masked.

    So is that of a variable whose name a `*_API_KEY_ENV` setting gives. `environ` defaults to this process's
    environment.
    """
    variables = os.environ if environ is None else environ
    named = {value.strip() for name, value in variables.items() if name.upper().endswith(_NAMES_A_SECRET)}
    secrets = {
        value.strip(): name
        for name, value in variables.items()
        if (name in named or name.upper().endswith(_SECRET_SUFFIXES)) and len(value.strip()) >= _SHORTEST_SECRET
    }
    # Longest first: a secret that contains another must not survive in part.
    for value in sorted(secrets, key=len, reverse=True):
        text = text.replace(value, f"<{secrets[value]}>")
    return text


def aligned(rows: Sequence[Sequence[str]], *, header: Sequence[str] = (), right: Iterable[int] = ()) -> str:
    """Return rows as columns two spaces apart; the columns named in `right` are set flush right."""
    table = [list(header), *rows] if header else list(rows)
    if not table:
        return ""
    flush_right = frozenset(right)
    cells = [[visible(cell).replace("\n", " ") for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if index in flush_right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def fitted(facts: Sequence[tuple[str, str]], width: int, *, whole_words: bool = True) -> str:
    """Return named facts as two columns; a text too long for the width goes on below where it began.

    A word that is too long by itself, such as a hash, stays whole unless `whole_words` is off.
    """
    import textwrap  # 3 ms

    names = max((len(name) for name, _ in facts), default=0)
    room = max(20, width - names - 2)
    lines = []
    for name, text in facts:
        first, *rest = textwrap.wrap(visible(text), room, break_on_hyphens=False, break_long_words=False) or [""]
        if not whole_words:
            first, *rest = [line[at : at + room] for line in (first, *rest) for at in range(0, len(line) or 1, room)]
        lines.append(f"{name.ljust(names)}  {first}".rstrip())
        lines += [f"{'':{names}}  {line}" for line in rest]
    return "\n".join(lines)


def wrapped(text: str, width: int) -> str:
    """Return running text in lines no longer than the width."""
    import textwrap  # 3 ms

    return textwrap.fill(visible(text), max(20, width), break_on_hyphens=False, break_long_words=False)


def _remark(text: str) -> None:
    """Write to stderr at once; when nobody can read it any more, the work goes on without remarks."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115


class ReaderLeftError(Exception):
    """Whoever read stdout (`head`, a pager) has closed it: there is nobody left to write for."""


class Line(NamedTuple):
    """One line (or paragraph) of output and how a terminal may colour it."""

    text: str
    style: Style | None = None


class Console:
    """What commands say things through. The root command makes one and `click.pass_obj` hands it on."""

    def __init__(self) -> None:
        self.quiet = False
        self.debug = False
        self.color = not os.environ.get("NO_COLOR")
        self._progress_width = 0

    def data(self, text: str, style: Style | None = None) -> None:
        """Write a command's result to stdout, control characters made visible."""
        self._clear_progress()
        shown = visible(text)
        if style is not None and self.color and sys.stdout.isatty():
            shown = f"\x1b[{_ANSI[style]}m{shown}\x1b[0m"
        try:
            sys.stdout.write(shown + "\n")
        except BrokenPipeError as error:
            raise ReaderLeftError from error

    def lines(self, lines: Iterable[Line]) -> None:
        """Write lines to stdout as they come."""
        for line in lines:
            self.data(line.text, line.style)

    def json(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object to stdout, indented; it names its `schema`."""
        import msgspec  # 10 ms

        if "schema" not in value:
            raise ValueError("a JSON object on stdout names its schema")
        encoded = msgspec.json.Encoder(decimal_format="number").encode(value)
        # `data` escapes what is legal in JSON yet live on a terminal (C1 controls); the value stays the same.
        self.data(msgspec.json.format(encoded, indent=2).decode())

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Lend stdout for bytes, which reach it exactly as they are."""
        self._clear_progress()
        try:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise ReaderLeftError from error

    def flush(self) -> None:
        """Pass on what stdout still holds back."""
        try:
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderLeftError from error

    def note(self, text: str) -> None:
        """Say something about the work on stderr, unless quiet."""
        if not self.quiet:
            self._say(text)

    def warn(self, text: str) -> None:
        """Say on stderr what the user should know, quiet or not."""
        self._say(f"eigen: warning: {' '.join(text.split())}")

    def error(self, message: str, hint: str | None = None) -> None:
        """Say in one line on stderr what went wrong, and in a second what to try."""
        self._say(f"eigen: error: {' '.join(message.split())}")
        if hint:
            self._say(f"hint: {' '.join(hint.split())}")

    def traceback(self, error: BaseException) -> None:
        """Write an error's traceback to stderr, secrets masked; for `--debug`."""
        import traceback

        self._say("".join(traceback.format_exception(error)).rstrip())

    def progress(self, text: str) -> None:
        """Show where the work stands, on one line that the next call overwrites; only on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            return
        import shutil  # 2 ms

        columns = shutil.get_terminal_size().columns
        line = visible(redact(text)).replace("\n", " ")[: columns - 1]
        _remark("\r" + line.ljust(self._progress_width))
        self._progress_width = len(line)

    def width(self, elsewhere: int) -> int:
        """Return how many columns stdout has on a terminal (COLUMNS overrides it), or `elsewhere` anywhere else."""
        import shutil  # 2 ms

        return shutil.get_terminal_size((elsewhere, 24)).columns

    def confirmed(self, question: str) -> bool:
        """Ask on a terminal and return whether the answer is yes; anywhere else the answer is no."""
        if not sys.stdin.isatty():
            return False
        self._say(f"{question} [y/N]")
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def _say(self, text: str) -> None:
        self._clear_progress()
        _remark(visible(redact(text)) + "\n")

    def _clear_progress(self) -> None:
        if self._progress_width:
            _remark("\r" + " " * self._progress_width + "\r")
            self._progress_width = 0
