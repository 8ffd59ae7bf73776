-- Sealed generations and what they hold. `body` columns are the hashed canonical bytes and are never re-encoded;
-- `observed` columns are never hashed. zstd: DuckDB's default for long strings is twice as large and slow to checkpoint.
-- No secondary index: it would block later ALTERs, and rows lie in generation and ordinal order, which prunes scans.

CREATE TABLE schema_versions (
    version    INTEGER PRIMARY KEY,
    name       VARCHAR NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE generations (
    number    INTEGER PRIMARY KEY,
    hash      VARCHAR NOT NULL UNIQUE,
    parent    VARCHAR,
    domain    VARCHAR NOT NULL,
    round     BIGINT NOT NULL,
    simulated BOOLEAN NOT NULL,
    body      JSON USING COMPRESSION zstd NOT NULL,
    observed  JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE plans (
    generation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    parent     VARCHAR,
    slot       BIGINT NOT NULL,
    status     VARCHAR NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE tasks (
    generation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    family     VARCHAR NOT NULL,
    split      VARCHAR NOT NULL,
    plan       VARCHAR NOT NULL,
    template   VARCHAR NOT NULL,
    difficulty BIGINT NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE proposals (
    generation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    key        VARCHAR NOT NULL,
    plan       VARCHAR NOT NULL,
    template   VARCHAR NOT NULL,
    attempts   BIGINT NOT NULL,
    reasons    VARCHAR[] NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE episodes (
    generation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    task       VARCHAR NOT NULL,
    trial      BIGINT NOT NULL,
    stop       VARCHAR NOT NULL,
    reward     DOUBLE,
    passed     BOOLEAN NOT NULL,
    blame      VARCHAR,
    body       JSON USING COMPRESSION zstd NOT NULL,
    verdict    JSON USING COMPRESSION zstd NOT NULL,
    observed   JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE injected_faults (
    generation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    episode    VARCHAR NOT NULL,
    role       VARCHAR NOT NULL,
    turn       BIGINT NOT NULL,
    fault      VARCHAR NOT NULL
);
