"""The agent's tools: names, parameters and effects are those of tau2-bench, texts are ours."""

from __future__ import annotations

import datetime
from typing import Annotated

from eigen_airline import booking, changes, search
from eigen_airline.airports import AIRPORTS, CODES
from eigen_airline.arithmetic import calculated
from eigen_airline.identifiers import new_certificate_id
from eigen_airline.payments import with_methods
from eigen_airline.records import (
    Airport,
    Cabin,
    Certificate,
    DirectFlight,
    FlightDay,
    FlightInfo,
    Passenger,
    Payment,
    Reservation,
    TripType,
    User,
    YesNo,
    day_id,
)
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import money
from eigen_cli.api.tools import Examples, Ref, Tools, acts, reads, writes

UserId = Annotated[str, Ref("users")]
ReservationId = Annotated[str, Ref("reservations")]
FlightNumber = Annotated[str, Ref("flights")]
AirportCode = Annotated[str, Examples(CODES)]
TravelDate = Annotated[datetime.date, Examples(tuple(f"2024-05-{day}" for day in range(16, 31)))]


class AirlineTools(Tools):
    """What a service agent of the airline can do."""

    @reads
    def get_user_details(self, user_id: UserId) -> User:
        """Read a customer's profile: name, membership, payment methods, saved passengers and reservation ids.

        Args:
            user_id: The customer's user id, such as 'ada_moss_4821'.
        """
        return self.world.table(User).require(user_id)

    @reads
    def get_reservation_details(self, reservation_id: ReservationId) -> Reservation:
        """Read a reservation: flights, cabin, passengers, bags, insurance and payments.

        Args:
            reservation_id: Six letters and digits, such as 'K4TQ2Z'.
        """
        return self.world.table(Reservation).require(reservation_id)

    @reads
    def list_all_airports(self) -> tuple[Airport, ...]:
        """List every airport we serve, with its code and city."""
        return AIRPORTS

    @reads
    def search_direct_flight(
        self, origin: AirportCode, destination: AirportCode, date: TravelDate
    ) -> list[DirectFlight]:
        """Find flights without a stop that can be booked on a date, with seats and fares by cabin.

        Args:
            origin: Airport code of the departure, such as 'DEN'.
            destination: Airport code of the arrival, such as 'BOS'.
            date: Day of departure, YYYY-MM-DD.
        """
        return search.direct_flights(self.world, date, origin=origin, destination=destination)

    @reads
    def search_onestop_flight(
        self, origin: AirportCode, destination: AirportCode, date: TravelDate
    ) -> list[tuple[DirectFlight, DirectFlight]]:
        """Find connections with one stop that can be booked on a date, as pairs of flights.

        Args:
            origin: Airport code of the departure, such as 'DEN'.
            destination: Airport code of the arrival, such as 'BOS'.
            date: Day on which the first flight departs, YYYY-MM-DD.
        """
        return search.connections(self.world, date, origin=origin, destination=destination)

    @reads
    def get_flight_status(self, flight_number: FlightNumber, date: TravelDate) -> str:
        """Tell the status of a flight on a date: available, on time, delayed, flying, landed or cancelled.

        Args:
            flight_number: The flight number, such as 'HRN123'.
            date: Day of departure, YYYY-MM-DD.
        """
        day = self.world.table(FlightDay).get(day_id(flight_number, date))
        if day is None:
            raise ToolError(f"Flight {flight_number} does not fly on {date}")
        return day.status

    @writes
    def book_reservation(
        self,
        user_id: UserId,
        origin: AirportCode,
        destination: AirportCode,
        flight_type: TripType,
        cabin: Cabin,
        flights: list[FlightInfo],
        passengers: list[Passenger],
        payment_methods: list[Payment],
        total_baggages: int,
        nonfree_baggages: int,
        insurance: YesNo,
    ) -> Reservation:
        """Book a trip and charge it. The payments must add up to fares, insurance and paid bags exactly.

        Args:
            user_id: The customer's user id.
            origin: Airport code where the trip starts.
            destination: Airport code the trip goes to.
            flight_type: 'one_way' or 'round_trip'.
            cabin: The cabin of every flight.
            flights: Every flight of the trip in order, each with flight_number and date.
            passengers: Everyone who flies, each with first_name, last_name and dob (YYYY-MM-DD).
            payment_methods: How it is paid, each with payment_id and amount in dollars.
            total_baggages: Checked bags in all.
            nonfree_baggages: How many of them are paid for.
            insurance: Whether travel insurance is bought for every passenger.
        """
        request = booking.BookingRequest(
            user_id=user_id,
            origin=origin,
            destination=destination,
            flight_type=flight_type,
            cabin=cabin,
            flights=tuple(flights),
            passengers=tuple(passengers),
            payments=tuple(payment_methods),
            total_baggages=total_baggages,
            nonfree_baggages=nonfree_baggages,
            insurance=insurance,
        )
        return booking.book(self.world, request)

    @writes
    def cancel_reservation(self, reservation_id: ReservationId) -> Reservation:
        """Cancel a whole reservation and refund its payments. Whether that is allowed is not checked here.

        Args:
            reservation_id: The reservation to cancel.
        """
        return changes.cancel(self.world, reservation_id)

    @writes
    def update_reservation_flights(
        self, reservation_id: ReservationId, cabin: Cabin, flights: list[FlightInfo], payment_id: str
    ) -> Reservation:
        """Change the flights or the cabin of a reservation and settle the difference.

        Args:
            reservation_id: The reservation to change.
            cabin: The cabin of the whole reservation after the change.
            flights: Every flight of the reservation after the change, those that stay included.
            payment_id: The gift card or credit card that pays, or gets back, the difference.
        """
        return changes.change_flights(self.world, reservation_id, cabin=cabin, flights=flights, payment_id=payment_id)

    @writes
    def update_reservation_baggages(
        self, reservation_id: ReservationId, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> Reservation:
        """Set the number of checked bags of a reservation and charge the paid ones that are new.

        Args:
            reservation_id: The reservation to change.
            total_baggages: Checked bags in all, after the change.
            nonfree_baggages: How many of them are paid for, after the change.
            payment_id: The gift card or credit card that pays.
        """
        return changes.change_bags(
            self.world, reservation_id, total=total_baggages, nonfree=nonfree_baggages, payment_id=payment_id
        )

    @writes
    def update_reservation_passengers(self, reservation_id: ReservationId, passengers: list[Passenger]) -> Reservation:
        """Replace the passenger list of a reservation; the number of passengers stays the same.

        Args:
            reservation_id: The reservation to change.
            passengers: Everyone who flies after the change, each with first_name, last_name and dob.
        """
        return changes.change_passengers(self.world, reservation_id, passengers)

    @writes
    def send_certificate(self, user_id: UserId, amount: int) -> str:
        """Give a customer a travel certificate as compensation.

        Args:
            user_id: The customer's user id.
            amount: Its value in whole dollars.
        """
        users = self.world.table(User)
        user = users.require(user_id)
        if amount <= 0:
            raise ToolError("A certificate needs an amount above zero")
        certificate = Certificate(id=new_certificate_id(self.world), amount=money(amount))
        users.put(with_methods(user, {**user.payment_methods, certificate.id: certificate}))
        return f"Certificate {certificate.id} over {amount} dollars is now in the profile of {user_id}."

    @acts
    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression.

        Args:
            expression: Numbers, + - * /, parentheses and spaces, such as '2 * (145 + 30)'.
        """
        return calculated(expression)

    @acts
    def transfer_to_human_agents(self, summary: str) -> str:
        """Pass the customer to a human colleague. Only for requests these tools cannot serve.

        Args:
            summary: What the customer needs and what was done so far.
        """
        del summary  # what a colleague would read; nothing here does
        return "Transfer successful"
