from __future__ import annotations

from eigen_cli.evolve.progress import SharedProgress


def test_lanes_are_added_up_stage_by_stage() -> None:
    heard: list[tuple[str, int, int]] = []
    shared = SharedProgress(lambda *told: heard.append(told))
    airline, retail = shared.of("airline"), shared.of("retail")
    airline("tasks", 1, 4)
    retail("tasks", 3, 5)
    airline("tasks", 2, 4)
    retail("episodes", 1, 8)
    assert heard == [("tasks", 1, 4), ("tasks", 4, 9), ("tasks", 5, 9), ("episodes", 1, 8)]


def test_one_lane_is_heard_as_it_speaks() -> None:
    heard: list[tuple[str, int, int]] = []
    SharedProgress(lambda *told: heard.append(told)).of("airline")("episodes", 7, 9)
    assert heard == [("episodes", 7, 9)]
