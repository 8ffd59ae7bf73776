"""The kiosk: a lending library's tables and tools, with official tasks."""

from __future__ import annotations

from eigen_tidy_library.domain import Book, Member, TidyLibrary

from eigen_cli.api.domain import Scoring
from eigen_cli.api.tasks import (
    Action,
    Fact,
    Goal,
    Provenance,
    RewardBasis,
    Scenario,
    SkippedTask,
    Task,
    TaskSet,
    WorldRef,
)

BASIS = RewardBasis(("state",), ("state",))


class Kiosk(TidyLibrary):
    """Six tasks: three loans, one with statements, one that needs nothing, one whose gold is refused."""

    name = "kiosk"
    title = "Kiosk"
    world_seed = 11

    def task_set(self) -> TaskSet:
        """Return the official tasks."""
        records = list(self.generate(seed=self.world_seed, size=0))
        members = [record for record in records if isinstance(record, Member)]
        books = [record for record in records if isinstance(record, Book) and not record.reference]
        free = [book for book in books if book.borrower is None]
        lent = next(book for book in books if book.borrower is not None)
        tasks = [self._loan(f"lend-{n}", members[n].member_id, free[n].book_id) for n in range(3)]
        tasks.append(self._loan("polite", members[3].member_id, free[3].book_id, statements=["HOLDS: it was friendly"]))
        tasks.append(self._task("ask", "What are your hours?", members[4].member_id, (), (), {}))
        tasks.append(self._loan("refused", members[5].member_id, lent.book_id))
        test = ("lend-0", "lend-1", "polite", "ask", "fly")
        return TaskSet(
            "kiosk 3.1",
            tuple(tasks),
            {"train": ("lend-2", "refused"), "test": test, "base": (*test, "lend-2", "refused")},
            (SkippedTask("fly", "the tool `fly` is unknown"),),
        )

    def scorings(self, task: Task) -> tuple[Scoring, ...]:
        """Return the official way and the strict one."""
        return (Scoring("official", ("state",), tolerates_gold_errors=True), Scoring("strict", ("state", "manners")))

    def _loan(self, id_: str, member: str, book: str, **imported: object) -> Task:
        gold = (Action("lend_book", {"member_id": member, "book_id": book}),)
        return self._task(id_, f"Please lend me {book}.", member, (Fact("book_id", book),), gold, imported)

    def _task(
        self,
        id_: str,
        request: str,
        member: str,
        facts: tuple[Fact, ...],
        gold: tuple[Action, ...],
        imported: dict[str, object],
    ) -> Task:
        return Task(
            id=id_,
            domain=self.name,
            family=id_,
            split="test",
            world=WorldRef(self.world_seed, 0),
            scenario=Scenario("a reader", request, (Fact("member_id", member), *facts), (Goal("", request),)),
            gold=gold,
            reward=BASIS,
            provenance=Provenance("kiosk", 0, 0),
            imported=imported,
        )


class KioskTwo(Kiosk):
    """The same tasks in another world."""

    name = "kiosk-two"
    title = "Another kiosk"
    world_seed = 12
