"""The shop's tools as the benchmark's behave, its defects included; `eigen_tau2.defects` names and explains them."""

from __future__ import annotations

from typing import Any

from eigen_cli.api.errors import ToolError
from eigen_retail.people import by_email, by_name_zip
from eigen_retail.records import REASONS, User
from eigen_retail.tools import RetailTools
from eigen_tau2 import retail_orders
from eigen_tau2.arithmetic import calculated
from eigen_tau2.retail_rows import ADDRESS, ORDERS, PRODUCTS, USERS
from eigen_tau2.rows import Row, Rows
from eigen_tau2.upstream_tools import upstream


class UpstreamRetailTools(RetailTools):
    """What an agent of the benchmark's shop can do."""

    __slots__ = ()

    @property
    def _rows(self) -> Rows:
        return Rows(self.world)

    @upstream(RetailTools.find_user_id_by_email)
    def find_user_id_by_email(self, email: Any) -> Any:
        # Ours looks past spaces around the address, the benchmark does not.
        plain = isinstance(email, str) and email == email.strip()
        return _found(by_email(self.world, email) if plain else None)

    @upstream(RetailTools.find_user_id_by_name_zip)
    def find_user_id_by_name_zip(self, first_name: Any, last_name: Any, zip: Any) -> Any:
        texts = all(isinstance(part, str) for part in (first_name, last_name, zip))
        return _found(by_name_zip(self.world, first_name, last_name, zip=zip) if texts else None)

    @upstream(RetailTools.get_user_details)
    def get_user_details(self, user_id: Any) -> Any:
        return self._rows.get(USERS, user_id)

    @upstream(RetailTools.get_order_details)
    def get_order_details(self, order_id: Any) -> Any:
        return self._rows.get(ORDERS, order_id)

    @upstream(RetailTools.get_product_details)
    def get_product_details(self, product_id: Any) -> Any:
        return self._rows.get(PRODUCTS, product_id)

    @upstream(RetailTools.get_item_details)
    def get_item_details(self, item_id: Any) -> Any:
        return retail_orders.item_details(self.world, item_id)

    @upstream(RetailTools.list_all_product_types)
    def list_all_product_types(self) -> Any:
        return super().list_all_product_types()

    @upstream(RetailTools.cancel_pending_order)
    def cancel_pending_order(self, order_id: Any, reason: Any) -> Any:
        order = self._with_status(order_id, "pending")
        if not isinstance(reason, str) or reason not in REASONS:
            raise ToolError(f"{reason!r} is no reason to cancel; it must be one of: {', '.join(REASONS)}")
        retail_orders.refund(self._rows, order)
        order["status"], order["cancel_reason"] = "cancelled", reason
        return self._saved(order)

    @upstream(RetailTools.modify_pending_order_address)
    def modify_pending_order_address(
        self, order_id: Any, address1: Any, address2: Any, city: Any, state: Any, country: Any, zip: Any
    ) -> Any:
        order = self._pending(order_id)
        order["address"] = _address(address1, address2, city, state=state, country=country, zip=zip)
        return self._saved(order)

    @upstream(RetailTools.modify_pending_order_payment)
    def modify_pending_order_payment(self, order_id: Any, payment_method_id: Any) -> Any:
        order = self._pending(order_id)
        retail_orders.pay_otherwise(self._rows, order, payment_method_id)
        return self._saved(order)

    @upstream(RetailTools.modify_pending_order_items)
    def modify_pending_order_items(
        self, order_id: Any, item_ids: Any, new_item_ids: Any, payment_method_id: Any
    ) -> Any:
        order = self._with_status(order_id, "pending")
        retail_orders.change_items(self._rows, order, item_ids, new_item_ids=new_item_ids, payment_id=payment_method_id)
        return self._saved(order)

    @upstream(RetailTools.modify_user_address)
    def modify_user_address(
        self, user_id: Any, address1: Any, address2: Any, city: Any, state: Any, country: Any, zip: Any
    ) -> Any:
        user = self._rows.get(USERS, user_id)
        user["address"] = _address(address1, address2, city, state=state, country=country, zip=zip)
        self._rows.put(USERS, user_id, user)
        return user

    @upstream(RetailTools.return_delivered_order_items)
    def return_delivered_order_items(self, order_id: Any, item_ids: Any, payment_method_id: Any) -> Any:
        order = self._with_status(order_id, "delivered")
        retail_orders.note_return(self._rows, order, item_ids, payment_id=payment_method_id)
        return self._saved(order)

    @upstream(RetailTools.exchange_delivered_order_items)
    def exchange_delivered_order_items(
        self, order_id: Any, item_ids: Any, new_item_ids: Any, payment_method_id: Any
    ) -> Any:
        order = self._with_status(order_id, "delivered")
        retail_orders.note_exchange(
            self._rows, order, item_ids, new_item_ids=new_item_ids, payment_id=payment_method_id
        )
        return self._saved(order)

    @upstream(RetailTools.calculate)
    def calculate(self, expression: Any) -> Any:
        return calculated(expression)

    @upstream(RetailTools.transfer_to_human_agents)
    def transfer_to_human_agents(self, summary: Any) -> Any:
        del summary
        return "Transfer successful"

    def _with_status(self, order_id: Any, status: str) -> Row:
        order = self._rows.get(ORDERS, order_id)
        if order["status"] != status:
            raise ToolError(f"Order {order_id} is {order['status']}, not {status}")
        return order

    def _pending(self, order_id: Any) -> Row:
        order = self._rows.get(ORDERS, order_id)
        if "pending" not in order["status"]:
            raise ToolError(f"Order {order_id} is {order['status']}; only pending orders can be changed")
        return order

    def _saved(self, order: Row) -> Row:
        self._rows.put(ORDERS, order["order_id"], order)
        return order


def _found(user: User | None) -> str:
    if user is None:
        raise ToolError("No such customer was found")
    return user.user_id


def _address(address1: Any, address2: Any, city: Any, *, state: Any, country: Any, zip: Any) -> Row:
    given = {"address1": address1, "address2": address2, "city": city, "country": country, "state": state, "zip": zip}
    address: Row = ADDRESS(given)
    return address
