"""The shop's dialogue procedures for simulated actors: what a good agent does, intent by intent."""

from __future__ import annotations

from eigen_cli.api.playbook import Intent, Playbook
from eigen_retail import playbook_items as items
from eigen_retail import playbook_pending as pending
from eigen_retail import playbook_questions as questions
from eigen_retail.playbook_common import greeted

_ORDER = r"(?:orders?|purchases?)"
_ADDRESS = r"(?<!e-mail )(?<!email )\baddress\b"

PLAYBOOK = Playbook(
    opening=greeted,
    # Of intents with equally many matches the earlier one wins: the more particular ones stand first.
    intents=(
        Intent(
            "other_customer",
            (
                r"\b(?:neighbor|brother|sister|friend|cousin|husband|wife|mother|father)(?:'s)?\b[^.?!:]*\baccount\b",
                r"\b(?:her|his|their) (?:order|account)\b",
                r"\b(?:for (?:him|her|them)|she asked me|on (?:her|his|their) behalf)\b",
            ),
            questions.other_customer,
        ),
        Intent(
            "change_items_and_address",
            (
                r"\b(?:options?|items?|color|size)\b[^.?!]*\baddress\b",
                r"\baddress\b[^.?!]*\b(?:options?|items?|color|size)\b",
                r"\b(?:both|two things)\b[^.?!]*\b(?:options?|address|pending)\b",
            ),
            items.change_items_and_address,
        ),
        Intent(
            "discount",
            (
                r"\b(?:discount|voucher|coupon|money off|cheaper elsewhere)\b",
                r"\b(?:match|lower|reduce)\b[^.?!:]*\bprice\b",
                r"\bcheaper\b",
            ),
            questions.discount,
        ),
        Intent(
            "gift_card_balance",
            (
                r"\bbalance\b",
                r"\b(?:left|hold|holds)\b[^.?!:]*\bgift card\b|\bgift card\b[^.?!:]*\b(?:left|holds?)\b",
            ),
            questions.gift_card_balance,
        ),
        Intent(
            "product_question",
            (
                r"\bhow many\b[^.?!:]*\b(?:versions|options|kinds|variants)\b",
                r"\b(?:in stock|available|could i buy)\b",
                r"\b(?:versions|options) of (?:a|one of your) products?\b",
            ),
            questions.product_question,
        ),
        Intent(
            "item_price",
            (
                r"\b(?:costs? today|current price|today's price|price today)\b",
                r"\bprice of\b",
                r"\bwhat\b[^.?!:]*\bcosts?\b",
            ),
            questions.item_price,
        ),
        Intent(
            "order_total",
            (
                r"\b(?:add up|in total|altogether|total of)\b",
                r"\bhow much did\b[^.?!:]*\bcost\b",
                r"\bfor my records\b",
            ),
            questions.order_total,
        ),
        Intent(
            "order_status",
            (
                r"\b(?:where is|status|track|tracking|on its way)\b",
                rf"\b(?:status|where)\b[^.?!:]*\b{_ORDER}\b",
                r"\bwas sent\b",
            ),
            questions.order_status,
        ),
        Intent(
            "change_payment",
            (
                r"\b(?:different|other|another|change|switch)\b[^.?!:]*\bpa(?:yment|id|y)\b",
                r"\bpay(?:ment)?\b[^.?!:]*\b(?:different|another|other)\b",
                r"\bwrong card\b",
            ),
            pending.change_payment,
        ),
        Intent(
            "change_default_address",
            (
                rf"\b(?:default|home|profile|account|on file)\b[^.?!:]*{_ADDRESS}",
                rf"{_ADDRESS}[^.?!:]*\b(?:profile|account|on file)\b",
                r"\b(?:moved|moving)\b",
            ),
            pending.change_default_address,
        ),
        Intent(
            "change_order_address",
            (
                r"\b(?:delivery|shipping|different|another) address\b",
                r"\b(?:send|go|deliver)\b[^.?!:]*\b(?:somewhere else|different|elsewhere)\b",
                rf"\b{_ORDER}\b[^.?!:]*\baddress\b",
                rf"\baddress\b[^.?!:]*\b{_ORDER}\b",
            ),
            pending.change_order_address,
        ),
        Intent(
            "remove_item",
            (
                r"\b(?:take|remove|drop)\b[^.?!:]*\b(?:item|thing|out)\b",
                r"\b(?:single|one|just one) item\b",
                r"\bkeep the rest|not all of it\b",
            ),
            questions.remove_item,
        ),
        Intent(
            "add_item",
            (
                r"\badd\b[^.?!:]*\b(?:item|thing|something)\b",
                r"\b(?:extra|another|additional) item\b|\bone more thing to\b",
                r"\bforgot something\b",
            ),
            questions.add_item,
        ),
        Intent(
            "exchange_items",
            (
                r"\b(?:exchange|swap)\b",
                r"\b(?:exchange|swap)\b[^.?!:]*\b(?:received|delivered|arrived|version|something)\b",
                r"\bisn't quite right\b",
            ),
            items.exchange_items,
        ),
        Intent(
            "return_items",
            (
                r"\b(?:return|send (?:\w+ )?back|send back|make a return)\b",
                r"\b(?:return|back)\b[^.?!:]*\b(?:received|order|money)\b",
            ),
            items.return_items,
        ),
        Intent(
            "cancel_order",
            (
                r"\b(?:cancel|call off|calling off)\b",
                rf"\b(?:cancel|call off)\b[^.?!:]*\b(?:{_ORDER}|ordered)\b",
            ),
            pending.cancel_order,
        ),
        Intent(
            "change_items",
            (
                r"\b(?:wrong|other|different) options?\b",
                r"\b(?:modify|change)\b[^.?!:]*\b(?:something|what's in|order|it)\b",
                r"\b(?:hasn't shipped|haven't received|just placed|pending)\b",
            ),
            items.change_items,
        ),
        Intent(
            "out_of_scope",
            (
                r"\b(?:damaged|claim|carrier|invoice|tax number|e-?mail address|deleted?|job|applied|warranty|repair\w*"
                r"|register|credit card on|sell|candles|password|phone number)\b",
                r"\b(?:file a claim|warehouse|broke|new credit card|through your shop|account with you deleted)\b",
                r"\b(?:speak|talk) to (?:a |an |some)?(?:human|person|manager|supervisor|someone)\b",
            ),
            questions.out_of_scope,
        ),
    ),
)
