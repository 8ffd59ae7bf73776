"""The agent's tools: names, parameters and effects are those of tau2-bench, texts are ours."""

from __future__ import annotations

from typing import Annotated

import msgspec

from eigen_cli.api.errors import ToolError
from eigen_cli.api.tools import Examples, Ref, Tools, acts, reads, writes
from eigen_retail import delivered, pending
from eigen_retail.arithmetic import calculated
from eigen_retail.items import variant_of
from eigen_retail.people import by_email, by_name_zip
from eigen_retail.records import REASONS, Address, Order, Product, User, Variant

UserId = Annotated[str, Ref("users")]
OrderId = Annotated[str, Ref("orders")]
ProductId = Annotated[str, Ref("products")]
Reason = Annotated[str, Examples(REASONS)]


class RetailTools(Tools):
    """What a service agent of the shop can do."""

    @reads
    def find_user_id_by_email(self, email: str) -> str:
        """Find a customer's user id by e-mail address.

        Args:
            email: The e-mail address on the customer's profile; capitals do not matter.
        """
        user = by_email(self.world, email)
        if user is None:
            raise ToolError(f"No customer has the e-mail address {email}")
        return user.user_id

    @reads
    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:
        """Find a customer's user id by name and zip code, for customers who cannot give their e-mail address.

        Args:
            first_name: The customer's first name; capitals do not matter.
            last_name: The customer's last name.
            zip: The zip code of the address on the profile, such as '80213'.
        """
        user = by_name_zip(self.world, first_name, last_name, zip=zip)
        if user is None:
            raise ToolError(f"No customer is called {first_name} {last_name} and lives at {zip}")
        return user.user_id

    @reads
    def get_user_details(self, user_id: UserId) -> User:
        """Read a customer's profile: name, address, e-mail address, payment methods and order ids.

        Args:
            user_id: The customer's user id, such as 'ada_moss_4821'.
        """
        return self.world.table(User).require(user_id)

    @reads
    def get_order_details(self, order_id: OrderId) -> Order:
        """Read an order: items, status, address, parcels and payments.

        Args:
            order_id: The order id with its '#', such as '#W4071386'.
        """
        return self.world.table(Order).require(order_id)

    @reads
    def get_product_details(self, product_id: ProductId) -> Product:
        """Read a product: every item it comes in, with options, price and whether it is available.

        Args:
            product_id: The product id, ten digits. It is not the item id.
        """
        return self.world.table(Product).require(product_id)

    @reads
    def get_item_details(self, item_id: str) -> Variant:
        """Read a single item: its options, its price and whether it is available.

        Args:
            item_id: The item id, ten digits. It is not the product id.
        """
        variant = variant_of(self.world, item_id)
        if variant is None:
            raise ToolError(f"No product has an item {item_id}")
        return variant

    @reads
    def list_all_product_types(self) -> dict[str, str]:
        """List the products we sell: every name with its product id, in alphabetical order."""
        return dict(sorted((product.name, product.product_id) for product in self.world.table(Product).values()))

    @writes
    def cancel_pending_order(self, order_id: OrderId, reason: Reason) -> Order:
        """Cancel a pending order whole and refund it to where it was paid from.

        Args:
            order_id: The order to cancel.
            reason: 'no longer needed' or 'ordered by mistake'.
        """
        return pending.cancel(self.world, order_id, reason)

    @writes
    def modify_pending_order_address(
        self,
        order_id: OrderId,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Order:
        """Send a pending order to another address.

        Args:
            order_id: The order to change.
            address1: Street and number, such as '12 Mill Lane'.
            address2: The second line, such as 'Unit 4', or '' if there is none.
            city: The city.
            state: The state's two letters, such as 'CO'.
            country: The country, such as 'USA'.
            zip: The zip code.
        """
        return pending.change_address(self.world, order_id, Address(address1, address2, city, country, state, zip))

    @writes
    def modify_pending_order_payment(self, order_id: OrderId, payment_method_id: str) -> Order:
        """Pay a pending order with another stored method; the first payment is refunded.

        Args:
            order_id: The order to change.
            payment_method_id: The stored method that is to pay the whole order, such as 'paypal_1234567'.
        """
        return pending.change_payment(self.world, order_id, payment_method_id)

    @writes
    def modify_pending_order_items(
        self, order_id: OrderId, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Swap items of a pending order for others of the same products. Works once an order: name all items at once.

        Args:
            order_id: The order to change.
            item_ids: Every item to be replaced; an item ordered twice can be named twice.
            new_item_ids: The new item for each of them, in the same order.
            payment_method_id: The stored method that pays, or gets back, the difference in price.
        """
        return pending.change_items(
            self.world, order_id, item_ids, new_item_ids=new_item_ids, payment_id=payment_method_id
        )

    @writes
    def modify_user_address(
        self,
        user_id: UserId,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> User:
        """Change the default address on a customer's profile. Orders placed before keep theirs.

        Args:
            user_id: The customer's user id.
            address1: Street and number, such as '12 Mill Lane'.
            address2: The second line, such as 'Unit 4', or '' if there is none.
            city: The city.
            state: The state's two letters, such as 'CO'.
            country: The country, such as 'USA'.
            zip: The zip code.
        """
        users = self.world.table(User)
        address = Address(address1, address2, city, country, state, zip)
        user = msgspec.structs.replace(users.require(user_id), address=address)
        users.put(user)
        return user

    @writes
    def return_delivered_order_items(self, order_id: OrderId, item_ids: list[str], payment_method_id: str) -> Order:
        """Take back items of a delivered order. Works once an order: name all items at once.

        Args:
            order_id: The delivered order.
            item_ids: Every item to be returned; an item ordered twice can be named twice.
            payment_method_id: Where the refund goes: the method the order was paid with, or a stored gift card.
        """
        return delivered.return_items(self.world, order_id, item_ids, payment_id=payment_method_id)

    @writes
    def exchange_delivered_order_items(
        self, order_id: OrderId, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Exchange items of a delivered order for others of the same products. Works once: name all items at once.

        Args:
            order_id: The delivered order.
            item_ids: Every item to be exchanged; an item ordered twice can be named twice.
            new_item_ids: The new item for each of them, in the same order.
            payment_method_id: The stored method that pays, or gets back, the difference in price.
        """
        return delivered.exchange_items(
            self.world, order_id, item_ids, new_item_ids=new_item_ids, payment_id=payment_method_id
        )

    @acts
    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression.

        Args:
            expression: Numbers, + - * /, parentheses and spaces, such as '2 * (14.50 + 3)'.
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
