"""The agent's tools: names, parameters and effects are those of tau2-bench, texts are ours."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated

from msgspec.structs import replace

from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import money
from eigen_cli.api.tools import Examples, Ref, Tools, acts, reads, writes
from eigen_telecom import coupling
from eigen_telecom.billing import charge, month_end
from eigen_telecom.records import Bill, Customer, DataUsage, Device, Line, LineChange, Plan, Refuelling

CustomerId = Annotated[str, Ref("customers")]
LineId = Annotated[str, Ref("lines")]
BillId = Annotated[str, Ref("bills")]
Gigabytes = Annotated[float, Examples((0.5, 1.0, 2.0))]

_KINDS: dict[str, type[Customer | Line | Device | Bill | Plan]] = {
    "C": Customer,
    "L": Line,
    "D": Device,
    "B": Bill,
    "P": Plan,
}


class TelecomTools(Tools):
    """What a help-line agent of the carrier can do. It cannot touch the customer's phone."""

    @reads
    def get_customer_by_phone(self, phone_number: str) -> Customer:
        """Find a customer by their contact number or by the number of one of their lines.

        Args:
            phone_number: The number with dashes, such as '555-201-4821'.
        """
        customer = coupling.customer_with_number(self.world, phone_number)
        if customer is None:
            raise ToolError(f"No customer has the number {phone_number}")
        return customer

    @reads
    def get_customer_by_id(self, customer_id: CustomerId) -> Customer:
        """Read a customer's profile by their customer id.

        Args:
            customer_id: The customer id, such as 'C20014'.
        """
        return self.world.table(Customer).require(customer_id)

    @reads
    def get_customer_by_name(self, full_name: str, dob: str) -> list[Customer]:
        """Find customers by their full name and date of birth; several people may share both, or none.

        Args:
            full_name: First and last name.
            dob: Date of birth, YYYY-MM-DD.
        """
        return [
            customer
            for customer in self.world.table(Customer).find(date_of_birth=dob)
            if customer.full_name.lower() == full_name.lower()
        ]

    @reads
    def get_details_by_id(self, id: str) -> Customer | Line | Device | Bill | Plan:
        """Read any record by its id: a customer, a line, a device, a bill or a plan.

        Args:
            id: The id; its first letter says what it is: C, L, D, B or P.
        """
        kind = _KINDS.get(id[:1])
        if kind is None:
            raise ToolError(f"'{id}' is no id of a customer, line, device, bill or plan")
        return self.world.table(kind).require(id)

    @writes
    def suspend_line(self, customer_id: CustomerId, line_id: LineId, reason: str) -> LineChange:
        """Suspend an active line; it has no service until it is resumed, and costs a holding fee each month.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line to suspend.
            reason: Why, in a few words.
        """
        del reason  # the records have no place for it; it stands in the call
        line = self._line(customer_id, line_id)
        if line.status != "Active":
            raise ToolError(f"Line {line_id} is not active, so it cannot be suspended: {line.status}")
        line = self._put(replace(line, status="Suspended", suspension_start_date=self.world.now.date()))
        return LineChange(f"Line {line_id} is suspended; the monthly holding fee applies", line)

    @writes
    def resume_line(self, customer_id: CustomerId, line_id: LineId) -> LineChange:
        """Make a suspended or not yet activated line active. The customer's phone finds service after a restart.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line to resume.
        """
        line = self._line(customer_id, line_id)
        if line.status not in ("Suspended", "Pending Activation"):
            raise ToolError(f"Line {line_id} is not suspended, so it cannot be resumed: {line.status}")
        return LineChange(
            f"Line {line_id} is active", self._put(replace(line, status="Active", suspension_start_date=None))
        )

    @reads
    def get_bills_for_customer(self, customer_id: CustomerId, limit: int = 12) -> list[Bill]:
        """List a customer's bills, the newest first.

        Args:
            customer_id: The customer.
            limit: How many bills at most.
        """
        customer = self.world.table(Customer).require(customer_id)
        bills = sorted(coupling.bills_of(self.world, customer), key=lambda bill: bill.issue_date, reverse=True)
        return bills[:limit]

    @writes
    def send_payment_request(self, customer_id: CustomerId, bill_id: BillId) -> str:
        """Ask the customer, on their phone, to pay a bill. It does not look whether the bill is due at all.

        Args:
            customer_id: The customer who owns the bill.
            bill_id: The bill to be paid.
        """
        customer = self.world.table(Customer).require(customer_id)
        bills = coupling.bills_of(self.world, customer)
        if any(bill.status == "Awaiting Payment" for bill in bills):
            raise ToolError(f"Another bill of customer {customer_id} is awaiting payment already")
        bill = next((bill for bill in bills if bill.bill_id == bill_id), None)
        if bill is None:
            raise ToolError(f"Customer {customer_id} has no bill {bill_id}")
        self.world.table(Bill).put(replace(bill, status="Awaiting Payment"))
        return f"A payment request for bill {bill_id} over {bill.total_due} dollars is on the customer's phone"

    @reads
    def get_data_usage(self, customer_id: CustomerId, line_id: LineId) -> DataUsage:
        """Read what a line has used in the current billing cycle, its plan's limit, and what was bought on top.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line.
        """
        line = self._line(customer_id, line_id)
        plan = self.world.table(Plan).require(line.plan_id)
        return DataUsage(
            line_id,
            data_used_gb=line.data_used_gb,
            data_limit_gb=plan.data_limit_gb,
            data_refueling_gb=line.data_refueling_gb,
            cycle_end_date=month_end(self.world.now.date()),
        )

    @writes
    def enable_roaming(self, customer_id: CustomerId, line_id: LineId) -> str:
        """Allow a line to use data abroad. The phone's own roaming switch is the customer's to set.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line.
        """
        line = self._line(customer_id, line_id)
        if line.roaming_enabled:
            return f"Line {line_id} was allowed to roam already"
        self._put(replace(line, roaming_enabled=True))
        return f"Line {line_id} may roam now"

    @writes
    def disable_roaming(self, customer_id: CustomerId, line_id: LineId) -> str:
        """Forbid a line the use of data abroad.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line.
        """
        line = self._line(customer_id, line_id)
        if not line.roaming_enabled:
            return f"Line {line_id} was not allowed to roam anyway"
        self._put(replace(line, roaming_enabled=False))
        return f"Line {line_id} may no longer roam"

    @acts
    def transfer_to_human_agents(self, summary: str) -> str:
        """Pass the customer to a human colleague.

        Args:
            summary: What the customer needs and what was found out.
        """
        del summary
        return "Transfer successful"

    @writes
    def refuel_data(self, customer_id: CustomerId, line_id: LineId, gb_amount: Gigabytes) -> Refuelling:
        """Buy data for a line for the current cycle; the plan's price is charged with the next bill.

        Args:
            customer_id: The customer who owns the line.
            line_id: The line.
            gb_amount: Gigabytes to add.
        """
        line = self._line(customer_id, line_id)
        if not 0 < gb_amount < math.inf:
            raise ToolError("The amount of data must be more than 0 GB")
        plan = self.world.table(Plan).require(line.plan_id)
        price = money(Decimal(str(gb_amount)) * plan.data_refueling_price_per_gb)
        line = self._put(replace(line, data_refueling_gb=line.data_refueling_gb + gb_amount))
        description = f"{gb_amount:g} GB of data for line {line_id}"
        charge(self.world, self.world.table(Customer).require(customer_id), price, description=description)
        return Refuelling(f"Added {description} for {price} dollars", line.data_refueling_gb, price)

    def _line(self, customer_id: str, line_id: str) -> Line:
        if line_id not in self.world.table(Customer).require(customer_id).line_ids:
            raise ToolError(f"Customer {customer_id} has no line {line_id}")
        return self.world.table(Line).require(line_id)

    def _put(self, line: Line) -> Line:
        self.world.table(Line).put(line)
        return line
