"""Defects of the benchmark's tools that the bridge repeats, and what of its behaviour the bridge does not repeat.

Official scores come from states that these defects made, so the `tau2-*` domains have them; `corrected()` has not.
Issue numbers are those of sierra-research/tau2-bench.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Defect:
    """One defect: the domains that have it, what upstream does, and the issue that reports it, if there is one."""

    name: str
    domains: tuple[Literal["airline", "retail", "telecom"], ...]
    upstream: str
    issue: int | None = None


DEFECTS: tuple[Defect, ...] = (
    Defect(
        "last_variant_for_all",
        ("retail",),
        "Changing several items of a pending order gives every one of them price and options of the last new item, "
        "under its own new id.",
        issue=317,
    ),
    Defect(
        "changed_twice",
        ("retail",),
        "Items to be changed are looked up one after the other, so an item that has just become another one of the "
        "list is changed again, and that other one stays.",
    ),
    Defect(
        "first_price_for_all",
        ("retail",),
        "An item ordered twice at two prices is reckoned twice at the first price.",
    ),
    Defect(
        "refunds_refunded",
        ("retail",),
        "Cancelling refunds every entry of the payment history, refunds too: after a change of payment the first "
        "method is paid back twice and the second once.",
    ),
    Defect(
        "unrounded_difference",
        ("retail",),
        "The difference of an item change is noted as the float it comes out as, such as 25.019999999999996.",
    ),
    Defect(
        "whole_zero_difference",
        ("retail",),
        "An exchange of no items is taken, and its difference is a whole 0, which hashes otherwise than 0.0.",
    ),
    Defect(
        "three_bookings",
        ("airline",),
        "Bookings get one of three fixed ids; the fourth is refused.",
    ),
    Defect(
        "three_certificates",
        ("airline",),
        "Certificates get one of three fixed ids; a customer's fourth is refused.",
    ),
    Defect(
        "any_certificate_amount",
        ("airline",),
        "A certificate may be over nothing, a fraction or a debt.",
    ),
    Defect(
        "overdrawn_cards",
        ("airline",),
        "Each payment of a booking is compared with its gift card alone, so a card named twice can be overdrawn, and a "
        "negative payment fills it.",
    ),
    Defect(
        "oversold_seats",
        ("airline",),
        "Each flight of a booking is compared with the seats left alone, so one named twice can be oversold.",
    ),
    Defect(
        "empty_trips",
        ("airline",),
        "Trips without flights, bookings without passengers and negative counts of bags are taken.",
    ),
    Defect(
        "values_stored_raw",
        ("airline",),
        "Changing bags, passengers or the cabin of a trip without flights stores what was given, of whatever type.",
    ),
    Defect(
        "onward_date_in_may",
        ("airline",),
        "Connections that arrive after midnight go on on the next number in May 2024, without leading zero: none are "
        "found from the first eight days of the month, nor from its last.",
    ),
    Defect(
        "any_airport",
        ("airline",),
        "A search from or to nowhere (null) finds flights from or to everywhere.",
    ),
    Defect(
        "calculator_is_python",
        ("airline", "retail"),
        "The calculator evaluates Python: powers and floor division work, and a number with a leading zero does not.",
    ),
    Defect(
        "unsynchronised_gold",
        ("telecom",),
        "Gold calls run without the synchronisation of the two sides that follows every call of an episode: 1,688 of "
        "2,285 gold states (71 of 114 in `base`) are not those of a perfect episode.",
    ),
    Defect(
        "float_charges",
        ("telecom",),
        "Bought data is charged as a product of floats and added to the bill as a float: 0.1 GB at 3 dollars is "
        "0.30000000000000004.",
    ),
    Defect(
        "unread_arguments",
        ("telecom",),
        "Reasons, summaries, dates of birth and names of apps may be of any type; without a limit (null) or with a "
        "negative one bills are listed all the same.",
    ),
)

NOT_REPEATED: tuple[str, ...] = (
    "A call that upstream refuses after it has begun to write (a booking paid twice with one certificate, paid bags of "
    "which there is half a one) leaves half of it behind there. Here a refused call changes nothing.",
    "The calculator refuses expressions over 2,000 characters and powers over 20,000 bits; upstream computes them, "
    "however long it takes.",
    "The models read a text that begins with zeros and goes on with a minus (`00-5`) as a negative whole number; here "
    "it is refused.",
    "The words of refusals and confirmations are ours.",
    "`get_item_details` of the shop is always there; the code of 26.3 lacks it.",
    "`break_vpn` of telecom spoils the VPN of every later episode of the process; here that of its own phone alone.",
    "Buying 10^15 GB of data and more, infinity included, is refused.",
    "Bills that buying data creates have random ids there, so two states with such bills are never equal; here ids "
    "are given in order.",
    "A network mode that is no text is stored before it is refused (null is said to fail, and stored); access point "
    "settings that are no object leave the phone broken for good. Here both are refused and change nothing.",
    "Preparing a task, a second bill with the id of another one is refused, and whole gigabytes used are stored as a "
    "float, which hashes otherwise.",
    "Where the function of an environment assertion raises, the benchmark has no result; here the assertion fails.",
)
"""What the bridge knowingly does otherwise; none of it decides an official task."""
