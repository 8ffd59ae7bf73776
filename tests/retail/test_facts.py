"""Fact kinds and wordings: questions are recognised, values are found and read back, ordinary words are not."""

from __future__ import annotations

import re

import pytest

from eigen_retail import wording
from eigen_retail.catalogue import KINDS
from eigen_retail.facts import FACT_KINDS
from eigen_retail.records import Address

BY_NAME = {kind.name: kind for kind in FACT_KINDS}


def asked(text: str) -> set[str]:
    return {kind.name for kind in FACT_KINDS if any(re.search(ask, text) for ask in kind.asks)}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_kind_recognises_its_own_questions(name: str) -> None:
    kind = BY_NAME[name]
    assert all(name in asked(question) for question in kind.question)
    assert len(kind.says) >= 3


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Could you please provide the email address associated with your account?", {"identity"}),
        ("To verify your identity, I need your full name and zip code.", {"identity"}),
        ("What's the order number?", {"order_id"}),
        ("Which items would you like to return?", {"items"}),
        ("Could you tell me the reason for the cancellation?", {"cancel_reason"}),
        ("Which payment method would you like to use for the price difference?", {"payment"}),
        ("The gift card balance is insufficient. Do you have another payment method?", {"other_payment"}),
        ("That version is out of stock. Would you like a different one?", {"fallback"}),
        ("Please provide the complete new address.", {"new_address"}),
        ("I couldn't find that order. Could you double-check the order ID?", {"corrected_order_id"}),
        ("What options should the new item have?", {"changes"}),
    ],
)
def test_questions_of_models_are_recognised(question: str, kinds: set[str]) -> None:
    assert kinds <= asked(question)


@pytest.mark.parametrize(
    "statement",
    [
        "Your order has been cancelled.",
        "Thank you, Ada.",
        "The refund goes back within 5 to 7 business days.",
    ],
)
def test_statements_are_no_questions(statement: str) -> None:
    assert asked(statement) == set()


ORDINARY = (
    "PLEASE help me, I WANT to cancel. I bought 2 jackets and a tea pot cover in May for 250 or so; W12 is the gate. "
    "My card is a visa, my other one is a gift. Call me on 555-0100, zip 80201, at 12:30, Main Street 5, Boulder."
)


@pytest.mark.parametrize("name", sorted(kind.name for kind in FACT_KINDS if kind.pattern and kind.name != "items"))
def test_patterns_do_not_match_ordinary_words(name: str) -> None:
    text = ORDINARY.replace("tea pot", "tea")
    assert re.findall(BY_NAME[name].pattern or "", text) == []
    assert re.findall(BY_NAME[name].pattern or "", text, re.IGNORECASE) == []


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("identity", "It's Ada.Moss12@mail.example.", ["Ada.Moss12@mail.example"]),
        ("identity", "I'm Ada Moss, zip code 80213.", ["Ada Moss, zip code 80213"]),
        ("identity", "My name is Ada Moss and my zip code is 80213.", ["Ada Moss and my zip code is 80213"]),
        ("user_id", "It's ada_moss_1234.", ["ada_moss_1234"]),
        ("order_id", "#W1234567 and W7654321, not W123", ["#W1234567", "W7654321"]),
        ("items", "The Rain Jacket and the Tea Pot, please", ["Rain Jacket and the Tea Pot"]),
        ("items", "Just one Rain Jacket.", ["one Rain Jacket"]),
        (
            "changes",
            "I want the Rain Jacket with color navy and size L; Tea Pot with capacity 600 ml.",
            ["Rain Jacket with color navy and size L; Tea Pot with capacity 600 ml"],
        ),
        ("payment", "Use gift_card_2345678 or paypal_1234567", ["gift_card_2345678", "paypal_1234567"]),
        (
            "new_address",
            "It's 12 Elm Court, Unit 4, Boulder, CO 80333, USA.",
            ["12 Elm Court, Unit 4, Boulder, CO 80333, USA"],
        ),
        ("new_address", "Please use the address on my profile.", ["the address on my profile"]),
    ],
)
def test_patterns_find_values(name: str, text: str, values: list[str]) -> None:
    pattern = re.compile(BY_NAME[name].pattern or "")
    assert [match[1] for match in pattern.finditer(text)] == values


def test_customers_are_read_back() -> None:
    assert wording.emails("Ada.Moss@Mail.Example, or a@b.co") == ["ada.moss@mail.example", "a@b.co"]
    for text in (
        wording.say_name_zip("Ada", "Moss", "80213"),
        "I'm Ada Moss and my zip code is 80213.",
        "Sure. It's Ada Moss, 80213.",
    ):
        assert wording.name_zip(text) == ("Ada", "Moss", "80213"), text
    assert wording.name_zip("Ada Moss") is None
    assert wording.name_zip("80213") is None
    assert wording.order_ids("#W1234567, w7654321 and # W1112223") == ["#W1234567", "#W7654321", "#W1112223"]
    assert wording.user_ids("ada_moss_1234") == ["ada_moss_1234"]


def test_items_are_read_back() -> None:
    assert wording.items("the Rain Jacket and both tea pots") == [("Rain Jacket", None), ("Tea Pot", 2)]
    assert wording.items("one Rain Jacket, 2 of the Hammocks") == [("Rain Jacket", 1), ("Hammock", 2)]
    assert wording.items("nothing of that kind") == []


def test_every_choice_of_every_product_is_read_back() -> None:
    for kind in KINDS:
        for option, values in kind.options.items():
            for value in values:
                spoken = wording.say_change(kind.name, {option: value})
                assert wording.changes(spoken) == [(kind.name, {option: value})], spoken
                assert re.search(wording.CHANGES, spoken)[1] == spoken  # type: ignore[index]


def test_changes_are_read_back() -> None:
    wanted = [("Rain Jacket", {"color": "navy", "size": "L"}), ("Tea Pot", {"capacity": "1200 ml"})]
    assert wording.changes(f"I'd like the {wording.say_changes(wanted)}, please.") == wanted
    assert wording.changes("I want my Rain Jacket in navy color") == [("Rain Jacket", {"color": "navy"})]
    assert wording.changes("Can the size be L? It's the Rain Jacket, size L") == [("Rain Jacket", {"size": "L"})]
    assert wording.changes("color navy") == []


def test_addresses_are_read_back() -> None:
    for second in ("Unit 4", ""):
        address = Address("12 Elm Court", second, "Boulder", "USA", "CO", "80333")
        read = wording.address(f"It's {wording.say_address(address)}.")
        assert read is not None and Address(**read) == address
    assert wording.address("Boulder, CO 80333") is None
    assert wording.means_profile("Please use the address on my profile.")
    assert not wording.means_profile("My new home is 12 Elm Court, Boulder, CO 80333.")
    assert not wording.means_profile("I don't know")


def test_payments_are_read_by_id_by_digits_or_by_kind() -> None:
    methods = {
        "credit_card_1111111": {"id": "credit_card_1111111", "source": "credit_card", "last_four": "4242"},
        "paypal_3333333": {"id": "paypal_3333333", "source": "paypal"},
        "gift_card_4444444": {"id": "gift_card_4444444", "source": "gift_card", "balance": 80},
    }
    assert wording.payments("my visa ending in 4242", methods) == ["credit_card_1111111"]
    assert wording.payments("my PayPal account, please", methods) == ["paypal_3333333"]
    assert wording.payments("the gift card, else the card that ends in 4242", methods) == [
        "gift_card_4444444",
        "credit_card_1111111",
    ]
    assert wording.payments("gift_card_4444444", methods) == ["gift_card_4444444"]
    assert wording.payments("paypal_9999999", methods) == ["paypal_9999999"]
    assert wording.payments("the one ending in 9999", methods) == []
    assert wording.payments("my gift card", {}) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I no longer need it.", "no longer needed"),
        ("It's no longer needed.", "no longer needed"),
        ("I don't need it anymore", "no longer needed"),
        ("I ordered it by mistake.", "ordered by mistake"),
        ("Placed it by accident", "ordered by mistake"),
        ("I found it cheaper somewhere else", None),
        ("the delivery takes too long", None),
        ("I'd rather spend the money on a holiday", None),
        ("my friend told me it's no good", None),
    ],
)
def test_reasons(text: str, reason: str | None) -> None:
    assert wording.cancel_reason(text) == reason
