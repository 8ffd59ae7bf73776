"""Looking for secrets and personal data: what is found and where, what is invented, and what is only a number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eigen_cli.api.releases import FINDING_KINDS, Finding
from eigen_registry.hub.patterns import masked, matches
from eigen_registry.hub.scanning import findings

# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    ("huggingface_token", "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ012345"),
    ("api_key", "sk-" + "proj-4f9aB7cD1eF2gH3iJ4kL5mN6"),
    ("api_key", "sk-" + "ant-api03-4f9aB7cD1eF2gH3iJ4kL5mN6"),
    ("api_key", "AKIA" + "IOSFODNN7EXAMPL3"),
    ("api_key", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
    ("api_key", "github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"),
    ("api_key", "xoxb-" + "123456789012-abcdefghijkl"),
    ("api_key", "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    ("api_key", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    ("private_key", "-----BEGIN RSA " + "PRIVATE KEY-----"),
    ("private_key", "-----BEGIN " + "PRIVATE KEY-----"),
    ("jwt", "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    ("bearer", "Bearer " + "abcdefghijklmnopqrstuvwxyz123456"),
    ("bearer", "BEARER " + "abcdefghijklmnopqrstuvwxyz123456"),
    ("bearer", "Authorization: Basic " + "dXNlcjpwYXNzd29yZA"),
    ("api_key", "aws_secret_access_key=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("api_key", "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
    ("api_key", "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKcYE"),
    ("api_key", "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    ("api_key", "hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
]
PERSONAL = [
    ("email", "jane.doe+travel@gmail.com"),
    ("email", "j_doe@mail.corp.co.uk"),
    ("phone", "+1 415-867-5309"),
    ("phone", "(415) 867-5309"),
    ("phone", "415.867.5309"),
    ("phone", "+44 20 7946 0958"),
    ("phone", "+4915112345678"),
    ("card", "4111111111111111"),
    ("card", "5500 0000 0000 0004"),
    ("card", "3782-822463-10005"),
]


@pytest.mark.parametrize(("kind", "value"), SECRETS + PERSONAL)
@pytest.mark.parametrize("around", ["{}", "It is {}.", '"{}"', "({})", "a,{},b", "x: {}\n"])
def test_each_kind_is_found_wherever_it_stands(kind: str, value: str, around: str) -> None:
    assert (kind, value) in [(found, text) for found, text in matches(around.format(value))]


@pytest.mark.parametrize(
    "text",
    [
        "hf_short and chief_executive_officer_and_more_words_yet",
        "task-based, risk-free, sk-short, ask-me-anything-about-it",
        "a bearer of news, Bearer: none",
        "someone@example.com, a.b@shop.example, x@test, root@localhost, me@foo.invalid",
        "555-0123 and 212-555-0199 and +1 (646) 555-0100",
        "4111111111111112 is one digit off",  # Luhn's check digit
        "order #W4921837, item 4965355367, tracking 349175839405",
        "2024-05-16T14:05:22, 2024-05-16 2024-05-17, 16.05.2024",
        "1796015743.4259038 and 0.4111111111111111",
        "credit_card_4421486 and gift_card_41111111111111110",
        "d81431b7fa3d05d73875676602152afee71ffafa832729ec3621f7ebdf141870",
        "C20001, L20014, P2003, 10.0.0.1, 192.168.100.200",
        "$1,250.00 of $123,456,789.00",
        "@mention and twitter@ and a@b",
    ],
)
def test_ordinary_text_and_reserved_names_are_not(text: str) -> None:
    assert list(matches(text)) == []


def test_a_found_value_is_never_shown(tmp_path: Path) -> None:
    for _, value in SECRETS + PERSONAL:
        assert value[4:] not in masked(value)
        assert masked(value) == f"{value[:4]}… ({len(value)} characters)"


def _scan(
    tmp_path: Path, table: pa.Table, known: Iterable[str] = (), environ: Mapping[str, str] | None = None
) -> list[Finding]:
    path = tmp_path / "data" / "agent_sft" / "train-00000-of-00001.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return list(findings(tmp_path, known=known, environ=environ or {}))


def _chat(*contents: Any) -> pa.Table:
    """Return a row of chat messages as exporters write them: a list of JSON values."""
    storage = pa.array([[json.dumps({"role": "user", "content": content}) for content in contents]])
    messages = storage.cast(pa.list_(pa.json_()))
    return pa.table({"id": ["ep-1/agent"], "messages": messages})


def test_it_says_in_which_file_row_and_message(tmp_path: Path) -> None:
    kind, value = SECRETS[0]
    (found,) = _scan(tmp_path, _chat("Hello.", "My mail is a@shop.example.", f"The token:\n{value}"))
    assert found == Finding(
        "huggingface_token", "data/agent_sft/train-00000-of-00001.parquet", "ep-1/agent", 2, masked(value)
    )
    assert kind == found.kind


@pytest.mark.parametrize(("kind", "value"), [SECRETS[0], SECRETS[9], PERSONAL[0], PERSONAL[3], PERSONAL[7]])
def test_json_text_within_json_text_is_looked_through(tmp_path: Path, kind: str, value: str) -> None:
    arguments = json.dumps({"note": json.dumps({"said": f"first\n{value}\nlast"})})
    body = json.dumps({"messages": [{"text": "Hi."}, {"tool_calls": [{"raw_arguments": arguments}]}], "id": "ep-9"})
    (found,) = _scan(tmp_path, pa.table({"id": ["ep-9"], "body": [body]}))
    assert (found.kind, found.row, found.turn) == (kind, "ep-9", 1)


def test_numbers_in_json_count_as_their_digits(tmp_path: Path) -> None:
    (found,) = _scan(tmp_path, pa.table({"id": ["t"], "body": [json.dumps({"card": 4111111111111111})]}))
    assert found.kind == "card"


def test_this_environments_own_secrets_are_found_whatever_they_look_like(tmp_path: Path) -> None:
    environ = {"WAREHOUSE_PASSWORD": "correct horse battery", "SHORT_KEY": "abc", "EDITOR": "correct horse"}
    table = _chat("abc", "it is correct horse battery", "correct horse")
    (found,) = _scan(tmp_path, table, environ=environ)
    assert (found.kind, found.turn) == ("environment", 1)


def test_invented_personal_data_is_known_in_any_spelling_and_secrets_never_are(tmp_path: Path) -> None:
    secret = SECRETS[0][1]
    known = ['{"phone_number":"415-867-5309","email":"Jane.Doe@Gmail.com","card":"4111 1111 1111 1111"}', secret]
    table = _chat("(415) 867-5309, +1 415.867.5309", "jane.doe@gmail.com", "4111-1111-1111-1111", secret, "x@gmail.com")
    found = _scan(tmp_path, table, known=known)
    assert [(one.kind, one.turn) for one in found] == [("huggingface_token", 3), ("email", 4)]


def test_a_value_is_named_once_a_row_at_its_first_place(tmp_path: Path) -> None:
    (found,) = _scan(tmp_path, _chat("x@gmail.com", "yes, x@gmail.com"))
    assert found.turn == 0


def test_every_kind_has_a_name_to_allow_it_by() -> None:
    assert {kind for kind, _ in SECRETS + PERSONAL} | {"environment"} == set(FINDING_KINDS)


@pytest.mark.parametrize(
    ("written", "kind", "found"),
    [
        ("4111\u00a01111\u00a01111\u00a01111", "card", "4111 1111 1111 1111"),
        ("+44 20\u20137946 0958", "phone", "+44 20-7946 0958"),
        ("jane\uff20gmail.com", "email", "jane@gmail.com"),
        ("jane@gm\u200bail.com", "email", "jane@gmail.com"),
    ],
)
def test_unusual_blanks_dashes_and_signs_hide_nothing(written: str, kind: str, found: str) -> None:
    assert (kind, found) in list(matches(f"It is {written}."))


def test_letters_that_json_text_spells_out_are_read(tmp_path: Path) -> None:
    hidden = '{"k":"\\u0041KIA' + 'IOSFODNN7EXAMPL3"}'
    assert [found.kind for found in _scan(tmp_path, pa.table({"id": ["one"], "content": [hidden]}))] == ["api_key"]


def test_the_card_and_the_manifest_are_looked_through_too(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("made by openai/sk-" + "proj-4f9aB7cD1eF2gH3iJ4kL5mN6")
    (tmp_path / "manifest.json").write_text('{"actors": {"user": "bob.smith@realcorp.io"}}')
    found = [(one.kind, one.file) for one in findings(tmp_path, known=(), environ={})]
    assert found == [("api_key", "README.md"), ("email", "manifest.json")]
