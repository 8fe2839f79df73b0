-- Schema `reporting`: the records of the package. Schema `results`: the published figures.
CREATE SCHEMA IF NOT EXISTS reporting;
CREATE SCHEMA IF NOT EXISTS results;

-- What is known of each report without its file.
CREATE TABLE IF NOT EXISTS reporting.report (
    report text PRIMARY KEY,
    alerts jsonb NOT NULL
);

-- Who works on a business key now. A row is there only as long as the run is under way.
CREATE TABLE IF NOT EXISTS reporting.claim (
    report      text NOT NULL,
    request_key text NOT NULL,
    run_id      text NOT NULL,
    taken_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (report, request_key)
);

-- Every publish, never changed afterwards.
CREATE TABLE IF NOT EXISTS reporting.release (
    release_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    report       text NOT NULL,
    period       text NOT NULL,
    request_key  text NOT NULL,
    version      integer NOT NULL,
    params       jsonb NOT NULL,
    is_default   boolean NOT NULL,
    run_id       text NOT NULL,
    clear_number integer NOT NULL,
    fingerprint  text NOT NULL,
    row_counts   jsonb NOT NULL,
    sources      jsonb NOT NULL,
    missing      jsonb NOT NULL,
    files        jsonb NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (report, request_key, version),
    UNIQUE (report, run_id, clear_number)
);

-- The pointer that readers follow: one current release per business key.
CREATE TABLE IF NOT EXISTS reporting.current_release (
    report      text NOT NULL,
    request_key text NOT NULL,
    release_id  bigint NOT NULL REFERENCES reporting.release,
    PRIMARY KEY (report, request_key)
);

-- What has staged data, and until when it is kept; NULL while the run is under way.
CREATE TABLE IF NOT EXISTS reporting.staged_run (
    report       text NOT NULL,
    run_id       text NOT NULL,
    request_key  text NOT NULL,
    period       text NOT NULL,
    keep_seconds double precision NOT NULL,
    keep_until   timestamptz,
    PRIMARY KEY (report, run_id)
);

-- What was undone after a failure; the row of step 'compensate' closes it.
CREATE TABLE IF NOT EXISTS reporting.compensation (
    report       text NOT NULL,
    run_id       text NOT NULL,
    clear_number integer NOT NULL,
    step         text NOT NULL,
    outcome      text NOT NULL,
    is_done      boolean NOT NULL,
    undone_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (report, run_id, clear_number, step)
);

-- One row per message that was to be sent: alerts of a run, deliveries of a release.
CREATE TABLE IF NOT EXISTS reporting.receipt (
    subject   text NOT NULL,
    channel   text NOT NULL,
    recipient text NOT NULL,
    is_sent   boolean NOT NULL,
    tries     integer NOT NULL,
    error     text,
    tried_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (subject, channel, recipient)
);
