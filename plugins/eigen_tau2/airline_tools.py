"""The airline's tools as the benchmark's behave, its defects included; `eigen_tau2.defects` names and explains them."""

from __future__ import annotations

from typing import Any

from eigen_airline.tools import AirlineTools
from eigen_cli.api.errors import ToolError
from eigen_tau2 import airline_search
from eigen_tau2.airline_booking import book, paid_change, priced_segments
from eigen_tau2.airline_rows import FLIGHT_INFO, PASSENGER, RESERVATIONS, USERS
from eigen_tau2.airline_timetable import DAYS
from eigen_tau2.arithmetic import calculated
from eigen_tau2.coercion import objects, real, within
from eigen_tau2.rows import Row, Rows
from eigen_tau2.upstream_tools import upstream

CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
"""The ids of certificates sent by tools; each customer can get three."""


class UpstreamAirlineTools(AirlineTools):
    """What an agent of the benchmark's airline can do."""

    __slots__ = ()

    @property
    def _rows(self) -> Rows:
        return Rows(self.world)

    @upstream(AirlineTools.get_user_details)
    def get_user_details(self, user_id: Any) -> Any:
        return self._rows.get(USERS, user_id)

    @upstream(AirlineTools.get_reservation_details)
    def get_reservation_details(self, reservation_id: Any) -> Any:
        return self._rows.get(RESERVATIONS, reservation_id)

    @upstream(AirlineTools.list_all_airports)
    def list_all_airports(self) -> Any:
        return [{"iata": code, "city": city} for code, city in airline_search.AIRPORTS]

    @upstream(AirlineTools.search_direct_flight)
    def search_direct_flight(self, origin: Any, destination: Any, date: Any) -> Any:
        return airline_search.direct_flights(self.world, date, origin=origin, destination=destination)

    @upstream(AirlineTools.search_onestop_flight)
    def search_onestop_flight(self, origin: Any, destination: Any, date: Any) -> Any:
        return airline_search.connections(self.world, date, origin=origin, destination=destination)

    @upstream(AirlineTools.get_flight_status)
    def get_flight_status(self, flight_number: Any, date: Any) -> Any:
        return self._rows.get(DAYS, f"{flight_number} {date}")["status"]

    @upstream(AirlineTools.book_reservation)
    def book_reservation(
        self,
        user_id: Any,
        origin: Any,
        destination: Any,
        flight_type: Any,
        cabin: Any,
        flights: Any,
        passengers: Any,
        payment_methods: Any,
        total_baggages: Any,
        nonfree_baggages: Any,
        insurance: Any,
    ) -> Any:
        booking = {
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "passengers": passengers,
            "payment_history": payment_methods,
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        }
        return book(self._rows, booking, within("flights", lambda value: objects(FLIGHT_INFO, value), flights))

    @upstream(AirlineTools.cancel_reservation)
    def cancel_reservation(self, reservation_id: Any) -> Any:
        reservation = self._rows.get(RESERVATIONS, reservation_id)
        paid = reservation["payment_history"]
        paid += [{"payment_id": entry["payment_id"], "amount": -entry["amount"]} for entry in paid]
        reservation["status"] = "cancelled"
        return self._saved(reservation)

    @upstream(AirlineTools.update_reservation_flights)
    def update_reservation_flights(self, reservation_id: Any, cabin: Any, flights: Any, payment_id: Any) -> Any:
        rows = self._rows
        reservation = rows.get(RESERVATIONS, reservation_id)
        wanted = within("flights", lambda value: objects(FLIGHT_INFO, value), flights)
        segments = priced_segments(rows, reservation, cabin, wanted)
        fares = sum(segment["price"] for segment in segments) - sum(old["price"] for old in reservation["flights"])
        paid_change(rows, reservation, payment_id, fares * len(reservation["passengers"]))
        reservation["flights"], reservation["cabin"] = segments, cabin
        return self._saved(reservation)

    @upstream(AirlineTools.update_reservation_baggages)
    def update_reservation_baggages(
        self, reservation_id: Any, total_baggages: Any, nonfree_baggages: Any, payment_id: Any
    ) -> Any:
        reservation = self._rows.get(RESERVATIONS, reservation_id)
        if not isinstance(nonfree_baggages, int | float):
            raise ToolError(f"nonfree_baggages should be a number, not {nonfree_baggages!r}")
        price = 50 * max(0, nonfree_baggages - reservation["nonfree_baggages"])
        paid_change(self._rows, reservation, payment_id, price)
        # Stored as they came, whatever they are: the benchmark checks neither.
        reservation["total_baggages"], reservation["nonfree_baggages"] = total_baggages, nonfree_baggages
        return self._saved(reservation)

    @upstream(AirlineTools.update_reservation_passengers)
    def update_reservation_passengers(self, reservation_id: Any, passengers: Any) -> Any:
        reservation = self._rows.get(RESERVATIONS, reservation_id)
        if not isinstance(passengers, list | dict | str):
            raise ToolError(f"passengers should be a list, not {passengers!r}")
        if all(isinstance(person, dict) for person in passengers):
            passengers = within("passengers", lambda value: objects(PASSENGER, value), passengers)
        if len(passengers) != len(reservation["passengers"]):
            raise ToolError(
                f"The reservation is for {len(reservation['passengers'])} passengers, not {len(passengers)}"
            )
        reservation["passengers"] = passengers
        return self._saved(reservation)

    @upstream(AirlineTools.send_certificate)
    def send_certificate(self, user_id: Any, amount: Any) -> Any:
        rows = self._rows
        user = rows.get(USERS, user_id)
        free = next((one for one in CERTIFICATES if one not in user["payment_methods"]), None)
        if free is None:
            raise ToolError(f"{user_id} has been sent {len(CERTIFICATES)} certificates; there can be no more")
        user["payment_methods"][free] = {"source": "certificate", "id": free, "amount": within("amount", real, amount)}
        rows.put(USERS, user_id, user)
        return f"Certificate {free} over {amount} is now in the profile of {user_id}."

    @upstream(AirlineTools.calculate)
    def calculate(self, expression: Any) -> Any:
        return calculated(expression)

    @upstream(AirlineTools.transfer_to_human_agents)
    def transfer_to_human_agents(self, summary: Any) -> Any:
        del summary
        return "Transfer successful"

    def _saved(self, reservation: Row) -> Row:
        self._rows.put(RESERVATIONS, reservation["reservation_id"], reservation)
        return reservation
