"""A lending library: members borrow and return books, three at most, reference books never."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import Annotated

from eigen_cli.api.canonical import derive_rng
from eigen_cli.api.domain import Clause, Domain, Draft, FactKind, GuardContext, Persona, TableSpec
from eigen_cli.api.errors import ToolError
from eigen_cli.api.record import Record
from eigen_cli.api.tasks import Action, CheckCall, Fact, Goal
from eigen_cli.api.tools import Ref, Tools, reads, writes
from eigen_cli.api.world import WorldView

MOST_LOANS = 3


class Member(Record, frozen=True):
    """Who may borrow."""

    member_id: str
    name: str


class Book(Record, frozen=True):
    """One copy on the shelves."""

    book_id: str
    title: str
    reference: bool
    borrower: str | None = None


class LibraryTools(Tools):
    """What the desk can do."""

    @reads
    def get_member(self, member_id: Annotated[str, Ref("members")]) -> Member:
        """Look up a member.

        Args:
            member_id: The member's id, such as 'M001'.
        """
        return self.world.table(Member).require(member_id)

    @reads
    def get_book(self, book_id: Annotated[str, Ref("books")]) -> Book:
        """Look up a book and who has it.

        Args:
            book_id: The book's id, such as 'B001'.
        """
        return self.world.table(Book).require(book_id)

    @writes
    def lend_book(self, member_id: Annotated[str, Ref("members")], book_id: Annotated[str, Ref("books")]) -> Book:
        """Lend a book to a member who wants to borrow it.

        Args:
            member_id: Who borrows.
            book_id: Which book.
        """
        books = self.world.table(Book)
        book = books.require(book_id)
        if book.borrower is not None:
            raise ToolError(f"{book_id} is out on loan")
        lent = Book(book.book_id, book.title, book.reference, member_id)
        books.put(lent)
        return lent

    @writes
    def return_book(self, member_id: Annotated[str, Ref("members")], book_id: Annotated[str, Ref("books")]) -> Book:
        """Take a book back from a member who wants to return it.

        Args:
            member_id: Who brings it.
            book_id: Which book.
        """
        books = self.world.table(Book)
        book = books.require(book_id)
        if book.borrower != member_id:
            raise ToolError(f"{member_id} does not have {book_id}")
        shelved = Book(book.book_id, book.title, book.reference)
        books.put(shelved)
        return shelved


def _no_reference_books(context: GuardContext) -> str | None:
    book = context.world.table(Book).get(str(context.arguments.get("book_id")))
    return f"{book.book_id} is a reference book" if book is not None and book.reference else None


def _few_loans(context: GuardContext) -> str | None:
    loans = len(context.world.table(Book).find(borrower=context.arguments.get("member_id")))
    return f"the member has {loans} books already" if loans >= MOST_LOANS else None


class LibraryTemplate:
    """One family of tasks: a wish about a book that fits it, and the calls that grant it."""

    difficulty = 1

    def __init__(self, name: str, requests: tuple[str, ...], *, tool: str, clauses: tuple[str, ...]) -> None:
        self.name = self.family = name
        self.requests = requests
        self.tool = tool
        self.tools = ("get_member", "get_book", tool)
        self.clauses = clauses

    def draft(self, world: WorldView, rng: random.Random) -> Draft | None:
        """Draw a member and a book."""
        member_id = rng.choice(list(world.table(Member).keys()))
        books = [book for book in world.table(Book).values() if self._fits(book)]
        if self.tool == "lend_book" and len(world.table(Book).find(borrower=member_id)) >= MOST_LOANS:
            return None
        if not books:
            return None
        book = rng.choice(books)
        member_id = book.borrower or member_id
        arguments = {"member_id": member_id, "book_id": book.book_id}
        gold = (Action("get_member", {"member_id": member_id}), Action("get_book", {"book_id": book.book_id}))
        facts = (Fact("member_id", member_id), Fact("book_id", book.book_id))
        goal = Goal(self.tool, rng.choice(self.requests).format(title=book.title))
        if book.reference:
            checks = (CheckCall("call_made", {"tool": "get_book", "arguments": {"book_id": book.book_id}}),)
            checks += (CheckCall("call_not_made", {"tool": self.tool}),)
            breach = (*gold, Action(self.tool, arguments))
            return Draft((goal,), facts, gold, self.clauses, checks=checks, breach=breach)
        return Draft((goal,), facts, (*gold, Action(self.tool, arguments)), self.clauses)

    def _fits(self, book: Book) -> bool:
        if self.tool == "return_book":
            return book.borrower is not None
        return book.borrower is None and book.reference == ("reference" in self.name)


_ASKS = r"(?i)\b{}\b"


class TidyLibrary(Domain):
    """The whole domain."""

    name = "tidy-library"
    title = "Tidy Library"
    version = "1"
    tables = (
        TableSpec("members", Member, key="member_id"),
        TableSpec("books", Book, key="book_id", indexes=("borrower",)),
    )
    agent_tools = LibraryTools
    clauses = (
        Clause("1", "Reference", "Never lend a reference book.", ("lend_book",), _no_reference_books),
        Clause("2", "Limit", "A member has three books at most.", ("lend_book",), _few_loans),
        Clause("3", "Members", "Look up the member before doing anything for them."),
    )
    fact_kinds = (
        FactKind(
            "member_id",
            "member id",
            ("What is your member id?",),
            ("My member id is {value}.", "It is {value}."),
            (_ASKS.format("member id"),),
            r"\bM\d{3}\b",
        ),
        FactKind(
            "book_id",
            "book id",
            ("What is the book id?",),
            ("The book id is {value}.", "It says {value} on the back."),
            (_ASKS.format("book id"),),
            r"\bB\d{3}\b",
        ),
    )
    personas = (
        Persona("brisk", "A teacher on the way to a lesson.", "brief"),
        Persona("chatty", "A pensioner with all the time in the world.", "chatty"),
    )
    templates = (
        LibraryTemplate(
            "lend",
            (
                "I would like to borrow {title}.",
                "Could you lend me {title}?",
                "Please lend me {title} for the weekend.",
            ),
            tool="lend_book",
            clauses=("2", "3"),
        ),
        LibraryTemplate(
            "return",
            ("I want to return {title}.", "I am bringing {title} back.", "Here is {title}; please take the return."),
            tool="return_book",
            clauses=("3",),
        ),
        LibraryTemplate(
            "lend_reference",
            ("I need to borrow {title}.", "Lend me {title}, please."),
            tool="lend_book",
            clauses=("1", "3"),
        ),
    )

    def clock(self) -> datetime.datetime:
        """Return a Monday morning."""
        return datetime.datetime(2025, 3, 3, 9, 0)

    def generate(self, *, seed: int, size: int) -> Iterator[Record]:
        """Yield a fifth members and four fifths books; see `Domain.generate`."""
        rng = derive_rng(seed, "tidy-library")
        people = max(4, (size or 200) // 5)
        for number in range(people):
            yield Member(f"M{number:03}", f"Reader {number}")
        for number in range(4 * people):
            lent = rng.random() < 0.2
            borrower = f"M{number % people:03}" if lent else None
            title = f"{rng.choice(('A History of', 'Notes on', 'The Art of'))} {rng.choice(_SUBJECTS)}, volume {number}"
            yield Book(f"B{number:03}", title, not lent and rng.random() < 0.2, borrower)


_SUBJECTS = ("Bridges", "Sails", "Bees", "Clocks", "Rivers", "Maps")
