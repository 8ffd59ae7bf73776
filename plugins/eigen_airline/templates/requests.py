"""First sentences of customers, several an intent; a synthesizer may reword them."""

from __future__ import annotations

from eigen_airline.templates.drafting import Scene
from eigen_cli.api.tasks import Fact, Goal

_REQUESTS: dict[str, tuple[str, ...]] = {
    "book_flight": (
        "I'd like to book a flight.",
        "Hi, I need to book a trip.",
        "Can you help me book some tickets?",
        "I want to reserve a flight, please.",
        "I'm looking to book a new trip with you.",
    ),
    "cancel_reservation": (
        "I need to cancel a reservation.",
        "I'd like to cancel my trip.",
        "Please cancel one of my bookings.",
        "I have to call off a trip I booked with you, can you cancel it?",
        "Can you cancel a flight reservation for me?",
    ),
    "another_cancellation": (
        "I'd also like to cancel another reservation.",
        "There is a second booking I want to cancel too.",
        "Then please cancel my other reservation as well.",
    ),
    "change_flights": (
        "I need to move my flight to another date.",
        "I'd like to change the flights on my reservation.",
        "Can I reschedule a trip I've booked?",
        "I want to switch to a different flight.",
        "My schedule has shifted and I need to rebook my flight for another day.",
    ),
    "change_flights_same_day": (
        "I'd like to switch to another flight on the same day.",
        "Can I change to a different flight that day?",
        "The time of my flight doesn't suit me anymore, I'd like to change flights but keep the date.",
    ),
    "change_delayed": (
        "My flight today is delayed, so I want to change to a flight on another day.",
        "With this delay today's flight is no use to me. Please move it to another date.",
        "Today's flight is late and I'd rather reschedule it.",
    ),
    "upgrade": (
        "I'd like to upgrade my reservation.",
        "Can I move to a better cabin on a trip I've booked?",
        "I want to upgrade the seats on my booking to another cabin.",
        "How about an upgrade? I'd like to change the cabin of my trip.",
    ),
    "downgrade": (
        "I'd like to move my trip to a cheaper cabin.",
        "Can I downgrade my reservation and get the difference back?",
        "I booked a cabin that's too expensive and want to change it to a lower one.",
    ),
    "add_bags": (
        "I need to add checked bags to my reservation.",
        "I'd like to add luggage to a trip I booked.",
        "We're packing more than we planned. Can I add some checked bags?",
        "Please add more baggage to my booking.",
    ),
    "single_segment": (
        "I'd like to upgrade just one flight of my trip, not the others.",
        "Can you move only my first flight to another cabin?",
        "Please change the cabin of a single flight on my round trip.",
    ),
    "remove_bags": (
        "I'd like to remove a checked bag from my reservation and get the money back.",
        "We're bringing less luggage, please take bags off my booking.",
        "Can you reduce the number of checked bags on my trip?",
    ),
    "add_insurance": (
        "I'd like to add travel insurance to my reservation.",
        "I forgot to buy the insurance for my trip. Can you add it now?",
        "Can I still get travel insurance on a trip that's already booked?",
    ),
    "change_passengers": (
        "I need to change a passenger on my reservation.",
        "One of the passenger's details on my booking has to be changed.",
        "Can you update the name of a traveler on my trip?",
        "I have to correct a passenger on a reservation.",
    ),
    "fix_passenger": (
        "There's a typo in a passenger's name on my reservation.",
        "A name on my booking is misspelled and I need it corrected.",
        "I noticed a passenger name is wrong on my trip. Can you fix the spelling?",
    ),
    "add_passenger": (
        "I'd like to add another passenger to my reservation.",
        "My friend wants to come along, can you add one more person to my booking?",
        "Can you add an extra traveler to a trip I've already booked?",
    ),
    "change_route": (
        "I need to change the destination of my reservation.",
        "I want to fly somewhere else than I booked. Can you change the destination?",
        "Our plans have changed and my trip should go to another city now.",
    ),
    "compensation_cancelled": (
        "You cancelled my flight and I'd like some compensation for it.",
        "My flight was cancelled by the airline. What compensation do I get?",
        "I'm upset that my flight got cancelled, and I'm asking to be compensated.",
    ),
    "compensation_delayed": (
        "My flight is delayed and I'd like compensation for that.",
        "I want to be compensated for the delay of my flight.",
        "That delay ruined my day. What compensation can you offer me?",
    ),
    "flight_status": (
        "Can you tell me the status of a flight?",
        "I'd like to know whether a flight is on time.",
        "I'm picking someone up and need to check a flight's status.",
    ),
    "price_quote": (
        "How much would a flight cost?",
        "I'm only after a price for now. What does a flight cost?",
        "Could you look up a fare for me? I don't want to book yet.",
    ),
    "baggage_question": (
        "How many checked bags can we take for free on my trip?",
        "I have a question about the baggage allowance on my reservation.",
        "What's the free luggage allowance for my booking?",
    ),
    "paid_total": (
        "Can you tell me how much I've paid for my reservation in total?",
        "I need the total amount paid for one of my trips, for my expense report.",
        "What did my booking cost me altogether?",
    ),
}


def goal(scene: Scene, intent: str, *facts: Fact, wording: str = "") -> Goal:
    """Return a goal worded for its intent, or for a variant of it named by `wording`."""
    return Goal(intent, scene.pick(_REQUESTS[wording or intent]), facts)
