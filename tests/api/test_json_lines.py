"""Rows stay on their lines, whoever splits them."""

from __future__ import annotations

import json

from eigen_cli.api.json_lines import json_line, json_text


def test_a_row_is_one_line_to_unicode_too() -> None:
    row = {"b": "one\u2028two\u2029three\x85four\nfive\x1csix\rseven", "a": [1.5, None, "é\N{GRINNING FACE}"]}
    line = json_line(row)
    assert len(line.decode().splitlines()) == 1
    assert line.endswith(b"}\n")
    assert json.loads(line) == row
    assert b'"\xc3\xa9\xf0\x9f\x98\x80"' in line


def test_keys_keep_their_order() -> None:
    assert json_text({"b": 1, "a": {"z": 1, "y": 2}}) == '{"b":1,"a":{"z":1,"y":2}}'
