from __future__ import annotations

from ledger import Ledger

from eigen_cli.api.canonical import derive_rng
from eigen_cli.world.explore import Explorer, Pool, explored_templates
from eigen_cli.world.toolbox import Toolbox
from eigen_cli.world.world import World


def test_sampled_sequences_replay_to_the_same_world(world: World, toolbox: Toolbox) -> None:
    explorer = Explorer(toolbox)
    found = [explorer.sample(world, derive_rng(seed), target="transfer", reads=2) for seed in range(20)]
    assert all(sequence is not None for sequence in found)
    for sequence in found:
        assert sequence is not None
        state = world
        for action in sequence.actions:
            outcome = toolbox.call(state, action.name, action.arguments)
            assert not outcome.error, (action, outcome.content)
            state = outcome.world
        assert state.state_hash() == sequence.world.state_hash() != world.state_hash()
        assert sequence.actions[-1].name == "transfer"
    assert len({s.world.state_hash() for s in found if s is not None}) > 15, "draws vary"


def test_enumeration_reaches_every_tool_that_can_run(world: World, toolbox: Toolbox) -> None:
    reached = {sequence.actions[-1].name for sequence in Explorer(toolbox).enumerate(world, derive_rng(3))}
    assert reached == {"get_account", "transfer", "spread", "close_account"}
    # `accounts_of` has no source for an owner without a result, `sneaky` and `broken` never run.


def test_the_same_generator_draws_the_same_sequence(world: World, toolbox: Toolbox) -> None:
    first, second = (Explorer(toolbox).sample(world, derive_rng("x"), target="spread") for _ in range(2))
    assert first is not None and second is not None and first.actions == second.actions


def test_a_tool_that_never_runs_is_given_up_within_the_budget(world: World, toolbox: Toolbox) -> None:
    assert Explorer(toolbox).sample(world, derive_rng(1), target="broken", budget=10) is None


def test_values_of_earlier_results_are_reused() -> None:
    pool = Pool()
    pool.learn('{"owner": "ann", "accounts": ["A1", "A2"], "nested": {"tier": "plus"}}')
    assert list(pool.get("owner")) == ["ann"]
    assert list(pool.get("account")) == ["A1", "A2"]
    assert list(pool.get("tier")) == ["plus"]
    pool.learn("plain text is no result to learn from")
    assert list(pool.get("plain")) == []


def test_templates_by_exploration_give_drafts_whose_gold_runs(world: World, toolbox: Toolbox) -> None:
    templates = explored_templates(Ledger(), toolbox)
    assert [template.name for template in templates] == ["use_transfer", "use_spread", "use_close_account"]
    for template in templates:
        draft = template.draft(world, derive_rng(template.name))
        assert draft is not None
        state = world
        for action in draft.gold:
            outcome = toolbox.call(state, action.name, action.arguments)
            assert not outcome.error
            state = outcome.world
        assert state.outcome_hash() != world.outcome_hash()
        told = {fact.name for fact in draft.goals[0].facts}
        assert told == set(draft.gold[-1].arguments)
