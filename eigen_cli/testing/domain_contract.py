"""The contract of a domain, clause by clause: what everything else in eigen relies on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from eigen_cli.api.domain import Domain
from eigen_cli.api.verifier import Verifier
from eigen_cli.testing import calls_contract, declared_contract, drafts_contract, world_contract
from eigen_cli.testing.examined import Advice, ExaminedDomain, Finding, Remark, raised

# Name, examination (yields breaches and advice, then what it looked at), and whether the rest stands on it.
_CONTRACT: tuple[tuple[str, Callable[[ExaminedDomain], Iterable[Remark]], bool], ...] = (
    ("declarations", declared_contract.declarations, True),
    ("tools", declared_contract.tools, False),
    ("generator", world_contract.generator, True),
    ("canonical records", world_contract.canonical_records, False),
    ("clauses", declared_contract.clauses, False),
    ("tool calls", calls_contract.tool_calls, False),
    ("templates", drafts_contract.templates, False),
    ("guards", calls_contract.guards, False),
    ("checks", drafts_contract.checks, False),
    ("coverage", declared_contract.coverage, False),
)


def domain_findings(domain: Domain, verifiers: dict[str, Verifier], *, seed: int = 0) -> Iterator[Finding]:
    """Yield a finding for every clause of the contract; what stands on a broken foundation is not looked at.

    `verifiers` are those of the domain's reward basis, by name; with them every drafted task must pass the task
    verifier. A domain without templates is judged by the tasks that exploring its tools gives.
    """
    examined = ExaminedDomain(domain, verifiers, seed=seed)
    for name, examine, is_foundation in _CONTRACT:
        finding = _finding(name, examine, examined)
        yield finding
        if finding.breaches and is_foundation:
            return


def _finding(name: str, examine: Callable[[ExaminedDomain], Iterable[Remark]], examined: ExaminedDomain) -> Finding:
    texts: list[str] = []
    advice: list[str] = []
    try:
        for remark in examine(examined):
            if isinstance(remark, Advice):
                advice.append(remark.text)
            else:
                texts.append(remark)
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        texts += [raised(error), "not to its end"]
    *breaches, looked_at = texts
    return Finding(name, looked_at, tuple(dict.fromkeys(breaches)), tuple(dict.fromkeys(advice)))
