-- What one sealed generation holds, in a file of its own that is never changed. Rows lie in ordinal order and ordinals
-- have no gaps. `body` and `verdict` columns are the hashed canonical bytes and are never re-encoded; `observed` columns
-- are never hashed; the others repeat what lists and filters need. zstd: DuckDB's default for long strings is twice as
-- large and slow to checkpoint. No secondary index: where ids have to be found, a table holds them in their own order,
-- so that DuckDB passes over the blocks that cannot have one.

CREATE TABLE plans (
    ordinal INTEGER NOT NULL,
    id      VARCHAR NOT NULL,
    parent  VARCHAR,
    slot    BIGINT NOT NULL,
    status  VARCHAR NOT NULL,
    body    JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE tasks (
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    domain     VARCHAR NOT NULL,
    family     VARCHAR NOT NULL,
    split      VARCHAR NOT NULL,
    plan       VARCHAR NOT NULL,
    template   VARCHAR NOT NULL,
    difficulty BIGINT NOT NULL,
    reason     VARCHAR NOT NULL,
    clauses    VARCHAR[] NOT NULL,
    tools      VARCHAR[] NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE task_ids (
    id      VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL
);

-- What tells quickly whether two generations have the same task; one that every version of DuckDB computes alike.
CREATE TABLE task_digests (
    id     VARCHAR NOT NULL,
    digest UHUGEINT NOT NULL
);

CREATE TABLE proposals (
    ordinal  INTEGER NOT NULL,
    key      VARCHAR NOT NULL,
    plan     VARCHAR NOT NULL,
    template VARCHAR NOT NULL,
    attempts BIGINT NOT NULL,
    reasons  VARCHAR[] NOT NULL,
    body     JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE episodes (
    ordinal  INTEGER NOT NULL,
    id       VARCHAR NOT NULL,
    task     VARCHAR NOT NULL,
    trial    BIGINT NOT NULL,
    stop     VARCHAR NOT NULL,
    reward   DOUBLE,
    passed   BOOLEAN NOT NULL,
    blame    VARCHAR,
    turns    INTEGER NOT NULL,
    body     JSON USING COMPRESSION zstd NOT NULL,
    verdict  JSON USING COMPRESSION zstd NOT NULL,
    observed JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE episode_ids (
    id      VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL
);

-- What a task's trials came to: those that have a reward, and those that passed. `task` is its ordinal, for numbers are
-- joined several times as fast as ids.
CREATE TABLE outcomes (
    task   INTEGER NOT NULL,
    trials BIGINT NOT NULL,
    passed BIGINT NOT NULL
);

CREATE TABLE injected_faults (
    ordinal INTEGER NOT NULL,
    episode VARCHAR NOT NULL,
    role    VARCHAR NOT NULL,
    turn    BIGINT NOT NULL,
    fault   VARCHAR NOT NULL
);

CREATE TABLE openings (
    ordinal INTEGER NOT NULL,
    side    VARCHAR NOT NULL,
    domain  VARCHAR NOT NULL,
    task    VARCHAR NOT NULL,
    body    JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE toolsets (
    ordinal INTEGER NOT NULL,
    side    VARCHAR NOT NULL,
    domain  VARCHAR NOT NULL,
    body    JSON USING COMPRESSION zstd NOT NULL
);

-- One row, written last: whose contents these are, and in which form.
CREATE TABLE sealed (
    kind   VARCHAR NOT NULL,
    hash   VARCHAR NOT NULL,
    format INTEGER NOT NULL
);
