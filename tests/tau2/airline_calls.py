"""Random calls of airline tools around one customer of the official database."""

from __future__ import annotations

from typing import Any

from drawing import CALLS_A_SEQUENCE, WRONG, Drawn
from engine_pair import Call

CABINS = ("basic_economy", "economy", "business")
EXPRESSIONS = (
    *("2 + 2", "350.5 * 2 - 1", "(1 + 2) * 3 / 7", "2 ** 3", "7 // 2", "1/0", "01", "1.5.2", "2(3)", "", " 1", "1 2"),
    *("-(-8)", "(-8) ** 0.5", "0.1 + 0.2", "9007199254740993 - 1", "1e5", "abc", "...", "10 ** 400", "2 ** -2", "()"),
)


class AirlineCalls:
    """Draws sequences of calls; the database is the raw one."""

    def __init__(self, database: dict[str, Any]) -> None:
        self._users, self._reservations, self._flights = (
            database["users"],
            database["reservations"],
            database["flights"],
        )
        self._busy = [key for key, user in self._users.items() if user["reservations"]]
        self._numbers = list(self._flights)
        days = (
            (number, date, day) for number, flight in self._flights.items() for date, day in flight["dates"].items()
        )
        self._on_sale = [(number, date) for number, date, day in days if day["status"] == "available"]
        self._ids = list(self._reservations)

    def sequence(self, drawn: Drawn) -> list[Call]:
        """Return a sequence around one customer."""
        self.drawn = drawn
        self.user_id = drawn.one(self._busy)
        self.user = self._users[self.user_id]
        tools = (
            *(self._book, self._flights_changed, self._bags, self._passengers) * 3,
            *(self._cancel, self._certificate) * 2,
            *(self._details, self._status, self._search, self._other),
        )
        return [drawn.one(tools)() for _ in range(CALLS_A_SEQUENCE)]

    def _reservation_id(self) -> str:
        if self.drawn.chance(15):
            return str(self.drawn.one(("HATHAT", "HATHAU", "ZZZZZZ", *self._ids[:5])))
        return str(self.drawn.one(self.user["reservations"]))

    def _payment_id(self) -> str:
        if self.drawn.chance(10):
            return str(self.drawn.one(("credit_card_0000000", "certificate_3221322", "gift_card_1")))
        methods = self.user["payment_methods"]
        cards = [key for key, method in methods.items() if method["source"] == "credit_card"]
        return str(self.drawn.one(cards if cards and self.drawn.chance(50) else list(methods)))

    def _flight(self) -> dict[str, Any]:
        number, date = self.drawn.one(self._on_sale)
        if self.drawn.chance(10):
            number, date = self.drawn.one(self._numbers), f"2024-05-{self.drawn.count(10, 31):02}"
        flight = {"flight_number": number, "date": date}
        return self.drawn.arguments(flight, wrong=3)

    def _person(self) -> dict[str, Any]:
        dob = self.drawn.one(("1990-01-05", "1985-12-31", "1990/01/05", "5 May 1990", ""))
        return self.drawn.arguments({"first_name": "Ada", "last_name": "Moss", "dob": dob}, wrong=3)

    def _book(self) -> Call:
        drawn = self.drawn
        cabin, insurance = drawn.one(CABINS), drawn.one(("yes", "no"))
        flights = [self._flight() for _ in range(drawn.count(0 if drawn.chance(5) else 1, 2))]
        if drawn.chance(5):
            flights += flights[:1]
        people = [self._person() for _ in range(drawn.count(0 if drawn.chance(5) else 1, 3))]
        bags = drawn.count(-1, 3)
        price = len(people) * (30 * (insurance == "yes") + sum(self._price(one, cabin) for one in flights)) + 50 * bags
        arguments = {
            "user_id": self.user_id,
            "origin": drawn.one(("SFO", "JFK", "nowhere")),
            "destination": drawn.one(("LAX", "ORD")),
            "flight_type": "open_jaw" if drawn.chance(3) else drawn.one(("one_way", "round_trip")),
            "cabin": cabin,
            "flights": flights,
            "passengers": people,
            "payment_methods": self._payments(price),
            "total_baggages": drawn.one((bags, 2, "2", 2.0)),
            "nonfree_baggages": drawn.one((bags, bags, float(bags))),
            "insurance": insurance,
        }
        return "book_reservation", drawn.arguments(arguments, wrong=8)

    def _price(self, flight: dict[str, Any], cabin: str) -> int:
        number, date = flight.get("flight_number"), flight.get("date")
        dates = self._flights.get(number, {}).get("dates", {}) if isinstance(number, str) else {}
        day = dates.get(date, {}) if isinstance(date, str) else {}
        return int(day.get("prices", {}).get(cabin, 0))

    def _payments(self, price: int) -> list[dict[str, Any]]:
        first = self.drawn.one((price, price, price, price, price - 50, 10)) + self.drawn.chance(4)
        entries = [
            {"payment_id": self._payment_id(), "amount": self.drawn.one((first, first, float(first), str(first)))}
        ]
        if first < price:
            entries.append({"payment_id": self._payment_id(), "amount": price - first})
        return entries

    def _flights_changed(self) -> Call:
        drawn, reservation_id = self.drawn, self._reservation_id()
        now = self._reservations.get(reservation_id)
        kept = [{"flight_number": one["flight_number"], "date": one["date"]} for one in now["flights"]] if now else []
        flights = kept if drawn.chance(50) else [*kept[: drawn.count(0, 2)], self._flight()]
        cabin = now["cabin"] if now and drawn.chance(50) else drawn.one((*CABINS, *CABINS, "first"))
        arguments = {
            "reservation_id": reservation_id,
            "cabin": cabin,
            "flights": [] if drawn.chance(4) else flights,
            "payment_id": self._payment_id(),
        }
        return "update_reservation_flights", drawn.arguments(arguments)

    def _bags(self) -> Call:
        arguments = {
            "reservation_id": self._reservation_id(),
            "total_baggages": self.drawn.count(-1, 5),
            "nonfree_baggages": self.drawn.count(-1, 4),
            "payment_id": self._payment_id(),
        }
        return "update_reservation_baggages", self.drawn.arguments(arguments, wrong=20)

    def _passengers(self) -> Call:
        reservation_id = self._reservation_id()
        now = self._reservations.get(reservation_id, {"passengers": []})
        people: Any = [self._person() for _ in now["passengers"]]
        if self.drawn.chance(10):
            people.append(self._person())
        if self.drawn.chance(6):
            people = self.drawn.one(([1] * len(people), "x" * len(people), {str(n): n for n in range(len(people))}))
        return "update_reservation_passengers", self.drawn.arguments(
            {"reservation_id": reservation_id, "passengers": people}
        )

    def _cancel(self) -> Call:
        return "cancel_reservation", self.drawn.arguments({"reservation_id": self._reservation_id()})

    def _certificate(self) -> Call:
        amount = self.drawn.one((50, 100, 0, -5, 99.99, "100", True))
        return "send_certificate", self.drawn.arguments({"user_id": self.user_id, "amount": amount})

    def _details(self) -> Call:
        if self.drawn.chance(50):
            return "get_user_details", self.drawn.arguments({"user_id": self.user_id})
        return "get_reservation_details", self.drawn.arguments({"reservation_id": self._reservation_id()})

    def _status(self) -> Call:
        return "get_flight_status", self.drawn.arguments(self._flight())

    def _search(self) -> Call:
        name = self.drawn.one(("search_direct_flight", "search_onestop_flight"))
        codes = ("SFO", "JFK", "LAX", "ORD", "DFW", "LGA", "XYZ", None)
        origin, destination = self.drawn.one(codes), self.drawn.one(codes)
        date = f"2024-05-{self.drawn.count(1, 31):02}"
        return name, self.drawn.arguments({"origin": origin, "destination": destination, "date": date})

    def _other(self) -> Call:
        name = self.drawn.one(("list_all_airports", "calculate", "transfer_to_human_agents", "think", "cancel_flight"))
        if name == "calculate":
            return name, self.drawn.arguments({"expression": self.drawn.one(EXPRESSIONS)})
        if name == "transfer_to_human_agents":
            return name, self.drawn.arguments({"summary": self.drawn.one(("done", *WRONG))})
        return name, self.drawn.arguments({})
