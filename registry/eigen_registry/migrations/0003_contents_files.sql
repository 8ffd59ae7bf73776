-- The contents of what is sealed lie in files of their own (`generations/<hash>.duckdb`, `evaluations/<hash>.duckdb`),
-- where this step's Python part (`moving.py`) has put them; here only their catalogue stays. A tag or a push names a
-- generation by its hash. What was removed is remembered, so that its id never comes to name another one.

DROP TABLE plans;
DROP TABLE tasks;
DROP TABLE proposals;
DROP TABLE episodes;
DROP TABLE injected_faults;
DROP TABLE evaluation_tasks;
DROP TABLE evaluation_episodes;

CREATE TABLE tags (
    name     VARCHAR PRIMARY KEY,
    hash     VARCHAR NOT NULL,
    moved_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE pushes (
    hash      VARCHAR NOT NULL,
    repo      VARCHAR NOT NULL,
    tag       VARCHAR NOT NULL,
    commit    VARCHAR NOT NULL,
    pushed_at DOUBLE NOT NULL
);

CREATE TABLE removed (
    number     INTEGER PRIMARY KEY,
    hash       VARCHAR NOT NULL,
    removed_at TIMESTAMPTZ NOT NULL
);
