"""A small domain for engine tests: accounts and the transfers between them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from eigen_cli.api.domain import Domain, TableSpec
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Money, Record, money
from eigen_cli.api.tools import Ref, Tools, acts, reads, writes


class Account(Record, frozen=True):
    account_id: str
    owner: str
    balance: Money
    tier: Literal["basic", "plus"] = "basic"


class Transfer(Record, frozen=True):
    transfer_id: str
    source: str
    target: str
    amount: Money


class Leg(Record, frozen=True):
    account_id: Annotated[str, Ref("accounts")]
    amount: Money


class LedgerTools(Tools):
    @reads
    def get_account(self, account_id: Annotated[str, Ref("accounts")]) -> Account:
        """Look up an account.

        Args:
            account_id: The account's id, such as 'A0001'.
        """
        return self.world.table(Account).require(account_id)

    @reads
    def accounts_of(self, owner: str) -> list[Account]:
        """List the accounts of an owner."""
        return self.world.table(Account).find(owner=owner)

    @reads
    def sneaky(self, account_id: Annotated[str, Ref("accounts")]) -> str:
        """Claim to read, but write."""
        self.world.table(Account).delete(account_id)
        return "done"

    @writes
    def transfer(
        self, source: Annotated[str, Ref("accounts")], target: Annotated[str, Ref("accounts")], amount: Money
    ) -> Transfer:
        """Move money from one account to another.

        Args:
            source: The account to take from.
            target: The account to
                give to.
            amount: Dollars and cents.
        """
        accounts = self.world.table(Account)
        payer, payee = accounts.require(source), accounts.require(target)
        accounts.put(Account(payer.account_id, payer.owner, money(payer.balance - amount), payer.tier))
        if payer.balance < amount:
            raise ToolError(f"the balance of {source} is {payer.balance}")
        accounts.put(Account(payee.account_id, payee.owner, money(payee.balance + amount), payee.tier))
        record = Transfer(f"T{self.world.sequence('transfer'):04}", source, target, amount)
        self.world.table(Transfer).put(record)
        return record

    @writes
    def spread(self, source: Annotated[str, Ref("accounts")], legs: list[Leg], urgent: bool = False) -> str:
        """Move money to several accounts at once."""
        for leg in legs:
            self.transfer(source, leg.account_id, leg.amount)
        return f"{len(legs)} transfers{', urgent' if urgent else ''}"

    @writes
    def close_account(self, account_id: Annotated[str, Ref("accounts")]) -> str:
        """Close an account."""
        self.world.table(Account).delete(account_id)
        return "closed"

    @acts
    def broken(self) -> str:
        """Fail as a buggy tool does."""
        raise ZeroDivisionError("oops")


class Ledger(Domain):
    name = "ledger"
    title = "Ledger"
    version = "1"
    tables = (
        TableSpec("accounts", Account, key="account_id", indexes=("owner", "tier")),
        TableSpec("transfers", Transfer, key="transfer_id", indexes=("source",), created=True),
    )
    agent_tools = LedgerTools

    def clock(self) -> datetime.datetime:
        return datetime.datetime(2025, 1, 1, 9, 0)

    def generate(self, *, seed: int, size: int) -> Iterator[Record]:
        for number in range(size or 100):
            tier: Any = "plus" if number % 3 == 0 else "basic"
            yield Account(f"A{number:04}", f"owner{number % 10}", money(100 + (number * 37 + seed) % 900), tier)
