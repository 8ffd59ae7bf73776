"""Fact kinds: what customers know, how they say it, how agents ask for it, and what its values look like.

`identity` is whatever the customer proves themselves with: the e-mail address, or name and zip code in one. Kinds
that begin with `corrected_` hold the right value after a first one that names nothing.
"""

from __future__ import annotations

from eigen_cli.api.domain import FactKind
from eigen_retail import wording
from eigen_retail.asking import fact_kind

_WHO: tuple[FactKind, ...] = (
    fact_kind(
        "identity",
        "e-mail address, or name and zip code",
        r"e-?mail(?: address)?(?! of (?:the|your) (?:friend|other))|(?:full|your|first and last) name|zip ?code|"
        r"identity|verify|user\s?id|who i(?:'m| am) (?:speaking|talking)",
        question=(
            "May I have the e-mail address on your account? If you don't have it, your full name and zip code will do.",
            "Could you give me the e-mail address of your account, or else your full name and zip code?",
            "To find your profile, I need your e-mail address, or your full name and zip code. What can you give me?",
        ),
        says=(
            "Sure, that's {value}.",
            "My account is under {value}.",
            "You'll find me under {value}.",
            "It's {value}.",
        ),
        pattern=wording.IDENTITY,
    ),
    FactKind(
        name="corrected_identity",
        label="other way to be found",
        question=(
            "I can't find a profile under that, so could you give me your full name and your zip code, please?",
            "There is no profile under that address, so may I have your full name and your zip code?",
        ),
        says=("Then try {value}.", "Okay, it's {value}.", "Sorry. I'm {value}."),
        asks=(
            r"(?is)(?:not|n't|unable to|no)\b[^.!?]{0,60}\b(?:find|found|locate|exist|match|profile|account|customer)\b"
            r"[^.!?]{0,80}\b(?:name|zip)",
            r"(?is)\A(?!.*e-?mail).*\bnames?\b.{0,60}\bzip",
        ),
        pattern=wording.IDENTITY,
    ),
    fact_kind(
        "full_name",
        "full name",
        r"your (?:full )?name(?!s? and (?:your )?zip)",
        question=("May I have your name?", "What is your full name?"),
        says=("I'm {value}.", "My name is {value}.", "This is {value}."),
    ),
    fact_kind(
        "user_id",
        "user id",
        r"user\s?id|customer (?:id|number)|account (?:id|number)",
        question=("What is your user id?", "Could you give me your user id?"),
        says=("My user id is {value}.", "{value} is my user id.", "The user id is {value}."),
        pattern=wording.USER_ID,
    ),
)

_ORDERS: tuple[FactKind, ...] = (
    fact_kind(
        "order_id",
        "order id",
        r"order (?:id|number|code|reference)s?|(?:id|number) of (?:the|your) order|which order",
        question=(
            "Which order is this about? I need its order id.",
            "Could you tell me the order id?",
            "What is the order id, please?",
        ),
        says=("The order is {value}.", "It's order {value}.", "Order id {value}.", "That's {value}."),
        pattern=wording.ORDER_ID,
    ),
    FactKind(
        name="corrected_order_id",
        label="order id, read again",
        question=(
            "I cannot find that order. Could you check the order id again?",
            "There is no order under that id. Would you read it to me once more?",
        ),
        says=(
            "Oh, sorry, I misread it: it's {value}.",
            "My mistake, the right one is {value}.",
            "Let me look again. It says {value}.",
        ),
        asks=(
            r"(?is)(?:not|n't|unable to|no)\b[^.!?]{0,60}\b(?:find|found|locate|exist|match|valid)\b"
            r"[^.!?]{0,60}\border|\border\b[^.!?]{0,60}\b(?:not|n't) (?:be )?(?:find|found|exist|match|valid)",
            r"(?is)\b(?:check|verify|read|spell|repeat)\b[^.!?]{0,60}\b(?:order id|number|id)\b[^.!?]{0,30}"
            r"\b(?:again|once more)|\bread it to me\b",
        ),
        pattern=wording.ORDER_ID,
    ),
    fact_kind(
        "items",
        "items",
        r"(?:which|what) (?:items?|products?|things?)|items?|products?|what (?:did|have) you (?:order|buy)|"
        r"(?:in|from) (?:it|the order)",
        question=(
            "Which items is it about? Please name all of them.",
            "Which items do you mean? I need the complete list.",
        ),
        says=("It's the {value}.", "That would be the {value}.", "The {value}, please.", "I mean the {value}."),
        pattern=wording.ITEMS,
    ),
    fact_kind(
        "changes",
        "items to change and their new options",
        r"new (?:items?|options?|versions?)|(?:which|what) (?:items?|options?|products?|color|size)|"
        r"(?:items?|options?)[^.?!]*\b(?:change|exchange|become|have|instead)|"
        r"should (?:they|it|each) (?:be|become|have)|exchange (?:it|them) for|in return",
        question=(
            "Which items should change, and which new options should each of them have? Please name all of them.",
            "Please name every item to change and the new options it should have. What should they be?",
        ),
        says=("I'd like the {value}.", "Please make it the {value}.", "I want the {value}.", "It should be: {value}."),
        pattern=wording.CHANGES,
    ),
    fact_kind(
        "fallback",
        "second choice of item",
        r"sold out|out of stock|(?:not|n't|un)\s?available|alternative|"
        r"(?:another|a different) (?:one|item|choice|option|version|color|size)|"
        r"other options?|second choice",
        question=(
            "That one is sold out at the moment. Which other options would you take?",
            "It is out of stock. Which other options should it have?",
        ),
        says=("Then the {value}.", "In that case the {value}.", "Okay, I'd take the {value}."),
        pattern=wording.CHANGES,
    ),
    fact_kind(
        "cancel_reason",
        "reason for cancelling",
        r"reason|why|because",
        question=(
            "May I ask why you want to cancel?",
            "What is the reason for the cancellation?",
            "Could you tell me the reason for cancelling?",
        ),
        says=("The reason: {value}.", "My reason is this: {value}.", "Because of this: {value}."),
    ),
)

_MONEY: tuple[FactKind, ...] = (
    fact_kind(
        "payment",
        "payment method",
        r"(?<!other )(?<!another )(?<!different )pay(?:ment|ing)?|which card|what card|card or|"
        r"refund(?:ed)? (?:to|go|method)|where should[^.?!]*(?:refund|money)",
        question=(
            "Which payment method would you like to use?",
            "Which of your payment methods should it be?",
            "Where should the refund go? Which payment method is it?",
        ),
        says=("Use {value}, please.", "Put it on {value}.", "{value}, please.", "Take {value}."),
        pattern=wording.PAYMENT_ID,
    ),
    fact_kind(
        "other_payment",
        "second choice of payment",
        r"(?:other|another|different) (?:payment|card|method|way)|not enough|insufficient|does(?:n't| not) cover|"
        r"too low|holds only|instead",
        question=(
            "That does not cover the amount. Is there another payment method I should use?",
            "That method does not work here. Which other payment method should it be?",
        ),
        says=("Then use {value}.", "Okay, take {value}.", "In that case put it on {value}."),
        pattern=wording.PAYMENT_ID,
    ),
)

_REST: tuple[FactKind, ...] = (
    fact_kind(
        "new_address",
        "new address",
        r"(?:new|full|complete|delivery|shipping|right|correct) address|address(?:,)? in full|"
        r"where (?:should|do you want|to)|what address|which address",
        question=(
            "What is the new address, in full?",
            "Where should it go? Please give me the complete address.",
            "Please tell me the full new address.",
        ),
        says=("It's {value}.", "The new address is {value}.", "Please make it {value}.", "{value}, please."),
        pattern=wording.ADDRESS,
    ),
    fact_kind(
        "product",
        "product",
        r"(?:which|what) product|product (?:is it|do you mean|are you)|interested in",
        question=("Which product are you interested in?", "Which product is it about?"),
        says=("It's about the {value}.", "I mean the {value}.", "The {value}."),
        pattern=wording.ITEMS,
    ),
    fact_kind(
        "topic",
        "what it is about",
        r"what (?:is it|is this|exactly|kind)|(?:more|what) about|describe|more details|few words",
        question=("Could you tell me more about what you need?", "What exactly is it about?"),
        says=("It's about {value}.", "I need help with {value}.", "The thing is {value}."),
    ),
)

FACT_KINDS: tuple[FactKind, ...] = _WHO + _ORDERS + _MONEY + _REST
