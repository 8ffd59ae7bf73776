"""The key: read from the environment, sent in one header, and masked in whatever a server says back."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from eigen_cli.api.errors import ConfigError

_SECRET = 8
"""Characters from which on a key is taken for a secret; shorter ones (`EMPTY`) are placeholders and plain words."""
_PIECE = 12
"""Characters of a key's part, at least, that is masked like the whole; half of the key is needed too."""
_MASK = "[key]"
# JSON escapes (escaped again, where JSON is quoted in JSON), percent-encoding and HTML: of printable ASCII alone.
_ESCAPED = re.compile(r"\\{1,8}(?:u00|x)([2-7][0-9a-fA-F])|%([2-7][0-9a-fA-F])|&#(?:[xX]0{0,4}([2-7][0-9a-fA-F]));")
_ESCAPED_DECIMAL = re.compile(r"&#0{0,4}(3[3-9]|[4-9][0-9]|1[01][0-9]|12[0-6]);")


@dataclass(frozen=True, slots=True)
class Secret:
    """One key, which no representation shows; an empty one stands for none."""

    key: str = field(default="", repr=False)

    @staticmethod
    def read(variable: str) -> Secret:
        """Return the key an environment variable holds; raise `ConfigError` where it cannot be a header's value."""
        key = os.environ.get(variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(
                f"the key in {variable} holds control characters or others that no key has",
                hint=f"set {variable} again, to the key alone",
            )
        return Secret(key)

    def masked(self, text: str) -> str:
        """Return the text without the key, without long parts of it, and without either in escaped form.

        A text that hides the key behind escapes comes back with all its escapes of printable ASCII resolved.
        """
        if len(self.key) < _SECRET:
            return text
        text = self._masked(text)
        if "\\" not in text and "%" not in text and "&#" not in text:
            return text
        plain = _ESCAPED.sub(lambda found: chr(int(found.group(found.lastindex or 1), 16)), text)
        plain = _ESCAPED_DECIMAL.sub(lambda found: chr(int(found.group(1))), plain)
        masked = self._masked(plain)
        return text if masked == plain else masked

    def _masked(self, text: str) -> str:
        """Return the text with every part of the key masked that is long enough to count.

        Such a part holds one of the key's blocks whole, whichever part it is: those are searched for, and what they
        lie in is measured.
        """
        least = min(len(self.key), max(_PIECE, (len(self.key) + 1) // 2))
        size = (least + 1) // 2
        for begin in range(0, len(self.key) - size + 1, size):
            block = self.key[begin : begin + size]
            kept: list[str] = []
            read = 0
            found = text.find(block)
            while found >= 0:
                first, last = self._extent(text, found, begin, size)
                if last - first >= least:
                    kept += text[read : max(first, read)], _MASK
                    read = last
                found = text.find(block, max(found + 1, read))
            text = "".join((*kept, text[read:])) if read else text
        return text

    def _extent(self, text: str, found: int, begin: int, size: int) -> tuple[int, int]:
        """Return where the part of the key starts and ends whose block from `begin` was found."""
        before = after = 0
        for ours, theirs in zip(
            reversed(self.key[:begin]), reversed(text[max(0, found - begin) : found]), strict=False
        ):
            if ours != theirs:
                break
            before += 1
        rest = self.key[begin + size :]
        for ours, theirs in zip(rest, text[found + size : found + size + len(rest)], strict=False):
            if ours != theirs:
                break
            after += 1
        return found - before, found + size + after


NO_SECRET = Secret()
