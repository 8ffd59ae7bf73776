-- Sealed evaluations, with their tasks and episodes; the same rules as for generations. `generation` is the hash of
-- the one that is judged, which need not be in this registry. An episode's `verdict` holds its rewards, parts and
-- findings; `body` is the dialogue alone.

CREATE TABLE evaluations (
    number     INTEGER PRIMARY KEY,
    hash       VARCHAR NOT NULL UNIQUE,
    domain     VARCHAR NOT NULL,
    split      VARCHAR NOT NULL,
    generation VARCHAR,
    checkpoint VARCHAR NOT NULL,
    simulated  BOOLEAN NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL,
    observed   JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE evaluation_tasks (
    evaluation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    body       JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE evaluation_episodes (
    evaluation INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    id         VARCHAR NOT NULL,
    task       VARCHAR NOT NULL,
    trial      BIGINT NOT NULL,
    stop       VARCHAR NOT NULL,
    reward     DOUBLE,
    body       JSON USING COMPRESSION zstd NOT NULL,
    verdict    JSON USING COMPRESSION zstd NOT NULL,
    observed   JSON USING COMPRESSION zstd NOT NULL
);
