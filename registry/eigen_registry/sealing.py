"""Sealing: a contents file is written apart and put in place, and the row in the catalogue makes it a generation.

The row comes last, so what is sealed is whole, and what is not whole was never seen. Sealing what is sealed already
changes nothing, but puts a contents file right that was lost or damaged.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eigen_cli.api.canonical import content_hash
from eigen_cli.api.errors import AlteredContentsError
from eigen_cli.api.evaluations import Evaluation, EvaluationBody, EvaluationContents, EvaluationObserved
from eigen_cli.api.generations import Generation, GenerationBody, GenerationContents, GenerationObserved
from eigen_registry import entries, refusals, writing
from eigen_registry.catalogue import Catalogue
from eigen_registry.contents_file import ContentsFiles
from eigen_registry.hashing import generation_hash
from eigen_registry.kinds import EVALUATIONS, GENERATIONS
from eigen_registry.transaction import transaction


def seal_generation(
    catalogue: Catalogue,
    files: ContentsFiles,
    *,
    body: GenerationBody,
    observed: GenerationObserved,
    contents: GenerationContents,
) -> Generation:
    """Seal a generation, or return the one sealed before under its hash; see `Store.seal`.

    Raises `RegistryError` when the contents are not those the body brings digests of, when an id occurs twice, when
    the parent of a generation made here is gone, and when the disk cannot be written; nothing is sealed then.
    """
    # A pulled generation may come before its parent; one made here was made of it, in this registry.
    parent = None if body.contents else body.parent
    _refuse_orphans(catalogue, parent)
    with catalogue.explained(), files.drafting(GENERATIONS) as draft:
        digests = writing.write(draft.con, GENERATIONS, contents, index=draft.index())
        if body.contents:
            _check_pinned(body.contents, digests)
        body = msgspec.structs.replace(body, contents=digests)
        hash_ = generation_hash(body)
        draft.finish(hash_)
        with catalogue.writing() as con, transaction(con):
            number = entries.number_of_hash(con, GENERATIONS, hash_)
            if number is None and parent is not None and entries.number_of_hash(con, GENERATIONS, parent) is None:
                raise refusals.orphan(catalogue.path, parent)
            draft.put(hash_)  # over one that is there too, which may be damaged
            if number is None:
                number = entries.insert_generation(con, hash_, body=body, observed=observed)
            return entries.generation_of_number(con, number)


def seal_evaluation(
    catalogue: Catalogue,
    files: ContentsFiles,
    *,
    body: EvaluationBody,
    observed: EvaluationObserved,
    contents: EvaluationContents,
) -> Evaluation:
    """Seal an evaluation, or return the one sealed before under its hash; see `Store.seal_evaluation`.

    Raises `RegistryError` when an id occurs twice and when the disk cannot be written; nothing is sealed then.
    """
    _refuse_orphans(catalogue, None)
    with catalogue.explained(), files.drafting(EVALUATIONS) as draft:
        body = msgspec.structs.replace(body, contents=writing.write(draft.con, EVALUATIONS, contents))
        hash_ = content_hash(body)
        draft.finish(hash_)
        with catalogue.writing() as con, transaction(con):
            number = entries.number_of_hash(con, EVALUATIONS, hash_)
            draft.put(hash_)
            if number is None:
                number = entries.insert_evaluation(con, hash_, body=body, observed=observed)
            return entries.evaluation_of_number(con, number)


def _refuse_orphans(catalogue: Catalogue, parent: str | None) -> None:
    """Find out before anything is written whether the catalogue can be used, and whether the parent is in it."""
    if not catalogue.exists():
        if parent is not None:
            raise refusals.orphan(catalogue.path, parent)
        return
    with catalogue.reading() as con:
        if parent is not None and entries.number_of_hash(con, GENERATIONS, parent) is None:
            raise refusals.orphan(catalogue.path, parent)


def _check_pinned(brought: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Raise `AlteredContentsError` unless what a body brings of its contents is what was found."""
    changed = [kind for kind in sorted({*brought, *found}) if brought.get(kind) != found.get(kind)]
    if changed:
        raise AlteredContentsError(
            f"the generation's contents are not those its body pins: {', '.join(changed)}",
            hint="the records were changed or reordered since they were hashed; fetch them again",
        )
