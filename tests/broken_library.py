"""The library domain with something wrong, and what its contract check says of it."""

from __future__ import annotations

import random
from typing import Annotated, Any

import pytest
from eigen_tidy_library.domain import Book, LibraryTools, TidyLibrary

from eigen_cli.api.domain import Domain, GuardContext
from eigen_cli.api.errors import ToolError
from eigen_cli.api.tools import Ref, Tools, acts, reads
from eigen_cli.testing.contracts import ContractError, check_domain, examine_domain


def breaches(domain: Domain) -> tuple[str, ...]:
    with pytest.raises(ContractError) as caught:
        check_domain(domain)
    return caught.value.breaches


def variant(**changes: Any) -> Domain:
    """Return a library that differs in class attributes or methods."""
    return type("Variant", (TidyLibrary,), changes)()


def advice(domain: Domain) -> tuple[str, ...]:
    """Return the advice a sound domain gets."""
    check_domain(domain)
    return tuple(f"{item.contract}: {text}" for item in examine_domain(domain) for text in item.advice)


class UndocumentedTools(LibraryTools):
    @reads
    def count_books(self, shelf: str) -> int:
        """Count books."""
        return len(shelf)


class EmptyTools(Tools):
    pass


class WordlessTools(LibraryTools):
    @acts
    def ring_bell(self) -> str:
        return "ding"


class SectionTools(LibraryTools):
    @acts
    def ring_bell(self, times: int) -> str:
        """
        Args:
            times: How often.
        """
        return "ding" * times


class DefectiveTools(LibraryTools):
    """One tool for each way to break."""

    @reads
    def peek(self, book_id: Annotated[str, Ref("books")]) -> str:
        """Look at a book, and lose it.

        Args:
            book_id: Which book.
        """
        self.world.table(Book).delete(book_id)
        return "gone"

    @acts
    def divide(self) -> float:
        """Divide by nothing."""
        return 1 / 0

    @acts
    def roll(self) -> float:
        """Roll a die."""
        return random.random()

    @acts
    def show_tool(self) -> Any:
        """Return what no model can read."""
        return object()


def raising(context: GuardContext) -> str | None:
    raise KeyError(context.name)


def deaf(context: GuardContext) -> str | None:
    """Raise only when there is a conversation to look at."""
    return None if context.dialogue is None else context.dialogue[-1].text.partition("?")[9]


def refuse_everything(context: GuardContext) -> str | None:
    return f"not {context.name}"


class ShyTools(LibraryTools):
    """Two tools that exploring cannot get to run."""

    @reads
    def find(self, words: str) -> str:
        """Find a book.

        Args:
            words: What to look for.
        """
        return words

    @reads
    def open_safe(self, code: int) -> str:
        """Open the safe.

        Args:
            code: The code.
        """
        raise ToolError(f"{code // 1000} is wrong")


class ShelvingTools(LibraryTools):
    """A tool with an entity of its own name, which no template uses."""

    @reads
    def shelve(self, volume_id: Annotated[str, Ref("books")]) -> str:
        """Say where a book stands.

        Args:
            volume_id: Which book.
        """
        return f"shelf {volume_id[1:]}"
