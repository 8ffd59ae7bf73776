-- What one sealed evaluation holds, in a file of its own; the same rules as for generations. An episode's `verdict`
-- holds its rewards, parts and findings; `body` is the dialogue alone.

CREATE TABLE tasks (
    ordinal INTEGER NOT NULL,
    id      VARCHAR NOT NULL,
    body    JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE episodes (
    ordinal  INTEGER NOT NULL,
    id       VARCHAR NOT NULL,
    task     VARCHAR NOT NULL,
    trial    BIGINT NOT NULL,
    stop     VARCHAR NOT NULL,
    reward   DOUBLE,
    body     JSON USING COMPRESSION zstd NOT NULL,
    verdict  JSON USING COMPRESSION zstd NOT NULL,
    observed JSON USING COMPRESSION zstd NOT NULL
);

CREATE TABLE sealed (
    kind   VARCHAR NOT NULL,
    hash   VARCHAR NOT NULL,
    format INTEGER NOT NULL
);
