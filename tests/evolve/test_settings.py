from __future__ import annotations

from eigen_cli.evolve.settings import EvolveSettings, dealt


def test_a_total_is_dealt_out_evenly_and_the_first_take_the_rest() -> None:
    assert dealt(12, 3) == (4, 4, 4)
    assert dealt(14, 3) == (5, 5, 4)
    assert dealt(2, 4) == (1, 1, 0, 0)
    assert all(sum(dealt(total, parts)) == total for total in range(20) for parts in range(1, 7))


def test_only_what_changes_content_names_a_run() -> None:
    def named(domain: str = "a", **changes: int | bool) -> str:
        settings = EvolveSettings(**changes)  # type: ignore[arg-type]
        return settings.run_id(domain, fingerprint="f", actors={}, prompts={}, verifiers={})

    assert named() == named(rounds=9) == named(concurrency=1) == named(fresh=True)
    others = [named("b"), named("a,b"), named(tasks=3), named(seed=1), named(plans=1), named(evolution=False)]
    assert len({named(), *others}) == len(others) + 1
