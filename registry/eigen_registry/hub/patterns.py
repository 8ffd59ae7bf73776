"""What secrets and personal data look like, and how a found one is shown without showing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from eigen_cli.api.releases import FindingKind

PERSONAL: frozenset[FindingKind] = frozenset({"email", "phone", "card"})
"""Kinds that generated worlds are full of: a value of one counts only where it is not invented."""
SHORTEST_SECRET = 12
"""Characters of an environment variable's value below which it is a flag or a number."""
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")
_SHOWN = 4
"""Characters that a masked value begins with."""

_AWS_SECRET = re.compile(r"(?:aws_?secret_?access_?key|SecretAccessKey)\W{1,4}[A-Za-z0-9/+]{40}(?!\w)", re.IGNORECASE)
_SECRETS: tuple[tuple[FindingKind, tuple[str, ...], re.Pattern[str]], ...] = (
    ("huggingface_token", ("hf_",), re.compile(r"(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{20,}")),
    ("private_key", ("-----BEGIN",), re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----")),
    ("jwt", ("eyJ",), re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}", re.ASCII)),
    (
        "bearer",
        ("earer ", "EARER "),
        re.compile(r"(?<![A-Za-z])bearer +[A-Za-z0-9._~+/=-]{19,}[A-Za-z0-9=]", re.IGNORECASE),
    ),
    ("bearer", ("asic ", "ASIC "), re.compile(r"authorization\W{1,4}basic +[A-Za-z0-9+/]{12,}=*", re.IGNORECASE)),
    ("api_key", ("sk-",), re.compile(r"sk-(?<![\w-]sk-)[\w-]{20,}", re.ASCII)),  # OpenAI and those who follow it
    ("api_key", ("AKIA", "ASIA"), re.compile(r"(?<!\w)A[KS]IA[A-Z0-9]{16}(?!\w)", re.ASCII)),  # Amazon
    (
        "api_key",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})", re.ASCII),
    ),
    ("api_key", ("glpat-",), re.compile(r"(?<!\w)glpat-[\w-]{20,}", re.ASCII)),
    ("api_key", ("xox",), re.compile(r"(?<!\w)xox[abprs]-[A-Za-z0-9-]{10,}", re.ASCII)),  # Slack
    ("api_key", ("AIza",), re.compile(r"(?<!\w)AIza[\w-]{35}", re.ASCII)),  # Google
    ("api_key", ("_live_", "_test_"), re.compile(r"(?<!\w)[srp]k_(?:live|test)_[A-Za-z0-9]{16,}", re.ASCII)),  # Stripe
    ("api_key", ("aws_secret", "AWS_SECRET", "SecretAccessKey"), _AWS_SECRET),
    ("api_key", ("npm_",), re.compile(r"(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)", re.ASCII)),
    ("api_key", ("SG.",), re.compile(r"(?<!\w)SG\.[\w-]{16,}\.[\w-]{16,}", re.ASCII)),  # SendGrid
    ("api_key", ("xapp-",), re.compile(r"(?<!\w)xapp-\d-[A-Za-z0-9-]{20,}", re.ASCII)),
    ("api_key", ("hooks.slack.com/",), re.compile(r"hooks\.slack\.com/services/T\w+/B\w+/\w{16,}", re.ASCII)),
    ("api_key", ("gsk_", "r8_"), re.compile(r"(?<!\w)(?:gsk|r8)_[A-Za-z0-9]{30,}", re.ASCII)),
    ("api_key", ("nvapi-", "pypi-"), re.compile(r"(?<!\w)(?:nvapi|pypi)-[\w-]{30,}", re.ASCII)),
)
"""Kind, what a text must hold to be worth the pattern, and the pattern."""
_MAIL = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_MAIL_NAME = re.compile(r"[A-Za-z0-9._%+-]{1,64}$")
_DIGITS = re.compile(r"\d[\d ().-]{7,}")
"""Stretches of digits in which a number may be; all other text is passed over by it."""
_NUMBERS: tuple[tuple[FindingKind, re.Pattern[str]], ...] = (
    ("card", re.compile(r"(?<![\w.+#-])[3-6]\d{3}(?:[ -]?\d{3,6}){2,4}(?![\w-])")),
    (
        "phone",
        re.compile(
            r"(?<![\w.#-])(?:"
            r"\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}"
            r"|(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"
            r")(?![\w-])"
        ),
    ),
)
_UNUSUAL = {
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"), None),
    ord("\uff20"): "@",
}
"""Blanks, dashes and signs that are written in the place of plain ones, and what has no width."""
_RESERVED_MAIL = re.compile(r"(?:^|[@.])(?:example\.(?:com|org|net)|example|test|invalid|localhost)$")
_RESERVED_PHONE = re.compile(r"555(?:01\d\d)$")
_CARD_DIGITS = range(13, 20)
_LEAST_PHONE_DIGITS = 9


def matches(text: str) -> Iterator[tuple[FindingKind, str]]:
    """Yield what looks like a secret or like personal data in a text; reserved addresses and numbers are none."""
    yield from secrets(text)
    yield from personal(text)


def secrets(text: str) -> Iterator[tuple[FindingKind, str]]:
    """Yield what looks like a credential."""
    for kind, signs, pattern in _SECRETS:
        for sign in signs:
            if sign in text:
                yield from ((kind, found[0]) for found in pattern.finditer(text))
                break


def personal(text: str) -> Iterator[tuple[FindingKind, str]]:
    """Yield addresses of mail, numbers of phones and of cards; those that are reserved for examples are none."""
    if not text.isascii():
        text = text.translate(_UNUSUAL)
    if "@" in text:
        yield from (("email", address) for address in _addresses(text))
    for stretch in _DIGITS.finditer(text):
        if sum(map(str.isdigit, stretch[0])) < _LEAST_PHONE_DIGITS:
            continue  # a date
        # With the plus or bracket before the digits, and what follows them.
        first, end = max(0, stretch.start() - 2), stretch.end() + 1
        for kind, pattern in _NUMBERS:
            for found in pattern.finditer(text, first, end):
                if _is_card(found[0]) if kind == "card" else _is_phone(found[0]):
                    yield kind, found[0]


def _addresses(text: str) -> Iterator[str]:
    for found in _MAIL.finditer(text):
        name = _MAIL_NAME.search(text, max(0, found.start() - 64), found.start())
        if name and not _RESERVED_MAIL.search(found[0].lower()):
            yield name[0] + found[0]


def normal(kind: FindingKind, value: str) -> str:
    """Return a value of personal data in the one spelling by which invented ones are known."""
    if kind == "email":
        return value.lower().rstrip(".")
    digits = _digits(value)
    return digits[-10:] if kind == "phone" else digits


def masked(value: str) -> str:
    """Return a value's beginning and its length."""
    return f"{value[:_SHOWN]}… ({len(value)} characters)"


def environment_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are secret because of their variable's name, with it."""
    return {
        value.strip(): name
        for name, value in environ.items()
        if name.upper().endswith(_SECRET_NAMES) and len(value.strip()) >= SHORTEST_SECRET
    }


def _digits(value: str) -> str:
    return "".join(letter for letter in value if letter.isdigit())


def _is_phone(value: str) -> bool:
    digits = _digits(value)
    return len(digits) >= _LEAST_PHONE_DIGITS and not _RESERVED_PHONE.search(digits)


def _is_card(value: str) -> bool:
    """Tell whether a number is one a card can have: the right length and Luhn's check digit."""
    digits = [int(digit) for digit in _digits(value)]
    if len(digits) not in _CARD_DIGITS:
        return False
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
