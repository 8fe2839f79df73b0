-- Schema `reporting`: the records of the package. Schema `results`: the published figures.
CREATE SCHEMA IF NOT EXISTS reporting;
CREATE SCHEMA IF NOT EXISTS results;

-- What is known of each report without its file.
CREATE TABLE IF NOT EXISTS reporting.report (
    report text PRIMARY KEY,  -- name of the report
    alerts jsonb NOT NULL,  -- who is told of failures, by the last run
    retry_run jsonb,  -- how often a failed run is run again; NULL for never
    event_queues jsonb NOT NULL DEFAULT '{}'  -- queues of the events that start it, each with its event
);
ALTER TABLE reporting.report ADD COLUMN IF NOT EXISTS retry_run jsonb;
ALTER TABLE reporting.report ADD COLUMN IF NOT EXISTS event_queues jsonb NOT NULL DEFAULT '{}';

-- Who works on a business key now. A row is there only as long as the run is under way.
CREATE TABLE IF NOT EXISTS reporting.claim (
    report      text NOT NULL,  -- name of the report
    request_key text NOT NULL,  -- the business key: period and params in short
    run_id      text NOT NULL,  -- Airflow run that works on it
    taken_at    timestamptz NOT NULL DEFAULT now(),  -- when it took or kept the claim
    PRIMARY KEY (report, request_key)
);

-- Which run answers an upstream event; an event that is told again starts nothing.
CREATE TABLE IF NOT EXISTS reporting.upstream_event (
    report    text NOT NULL,  -- name of the report
    event_key text NOT NULL,  -- digest of the event's name and id, or of its name and moment
    run_id    text NOT NULL,  -- Airflow run that answers it
    taken_at  timestamptz NOT NULL DEFAULT now(),  -- when that was decided
    PRIMARY KEY (report, event_key)
);

-- Every publish, never changed afterwards.
CREATE TABLE IF NOT EXISTS reporting.release (
    release_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- unique in the warehouse
    report       text NOT NULL,  -- name of the report
    period       text NOT NULL,  -- what it reports on, such as 2013-07-04
    request_key  text NOT NULL,  -- the business key: period and params in short
    version      integer NOT NULL,  -- 1, 2, and so on per business key
    params       jsonb NOT NULL,  -- every declared param with its value
    is_default   boolean NOT NULL,  -- whether all params have their default, as in the plain view
    run_id       text NOT NULL,  -- Airflow run that published it
    clear_number integer NOT NULL,  -- how often the run was cleared before
    started      text NOT NULL,  -- when this life of the run began
    fingerprint  text NOT NULL,  -- digest of all that the figures depend on
    row_counts   jsonb NOT NULL,  -- rows per table
    sources      jsonb NOT NULL,  -- per source: rows and further facts
    missing      jsonb NOT NULL,  -- optional sources it was made without, with the reason
    files        jsonb NOT NULL,  -- keys of its files in the reports bucket
    file_facts   jsonb NOT NULL DEFAULT '{}',  -- per file: size, SHA-256 and ETag when written
    published_at timestamptz NOT NULL DEFAULT now(),  -- when readers could see it first
    UNIQUE (report, request_key, version),
    UNIQUE (report, run_id, clear_number, started)
);

ALTER TABLE reporting.release ADD COLUMN IF NOT EXISTS file_facts jsonb NOT NULL DEFAULT '{}';
-- The newest of a report is found at once, however many there are.
CREATE INDEX IF NOT EXISTS release_report ON reporting.release (report, release_id);
-- What readers see of a period is replaced under the lock of its report; and the newest period of
-- each of many reports is found at once.
CREATE INDEX IF NOT EXISTS release_newest
    ON reporting.release (report, period DESC, is_default DESC, release_id DESC);

-- The pointer that readers follow: one current release per business key.
CREATE TABLE IF NOT EXISTS reporting.current_release (
    report      text NOT NULL,  -- name of the report
    request_key text NOT NULL,  -- the business key: period and params in short
    release_id  bigint NOT NULL REFERENCES reporting.release,  -- release that readers see
    PRIMARY KEY (report, request_key)
);

-- Each time a person has moved that pointer; a publish moves it without a row here.
CREATE TABLE IF NOT EXISTS reporting.pointer_move (
    move_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- in the order of time
    report       text NOT NULL,  -- name of the report
    period       text NOT NULL,  -- what it reports on
    from_release bigint,  -- release that readers saw before; NULL for none
    to_release   bigint,  -- release that they see since; NULL when it was withdrawn
    moved_by     text NOT NULL,  -- who did that
    moved_at     timestamptz NOT NULL DEFAULT now()  -- when
);

-- Rows of the sources that did not fit and were set aside, by the release made without them.
CREATE TABLE IF NOT EXISTS reporting.quarantined_row (
    quarantined_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- in the order of the source
    release_id  bigint NOT NULL REFERENCES reporting.release ON DELETE CASCADE,  -- made without it
    source      text NOT NULL,  -- name of the source
    row_number  bigint NOT NULL,  -- its place in what the source, or its shard, gave, from 1
    column_name text NOT NULL,  -- the first column that did not fit; empty for a malformed row
    reason      text NOT NULL,  -- what was got, and what is allowed
    row_values  json NOT NULL  -- the whole row as text
);
CREATE INDEX IF NOT EXISTS quarantined_row_release ON reporting.quarantined_row (release_id);

-- What has staged data, and until when it is kept; NULL while the run is under way.
CREATE TABLE IF NOT EXISTS reporting.staged_run (
    report       text NOT NULL,  -- name of the report
    run_id       text NOT NULL,  -- Airflow run that has staged
    request_key  text NOT NULL,  -- the business key: period and params in short
    period       text NOT NULL,  -- what it reports on
    keep_seconds double precision NOT NULL,  -- `keep_staging` of the report
    keep_until   timestamptz,  -- when the janitor removes the data
    noted_at     timestamptz DEFAULT now(),  -- when that was noted first; no data is older
    PRIMARY KEY (report, run_id)
);
-- Of runs that were noted before there was this column it is not known.
ALTER TABLE reporting.staged_run ADD COLUMN IF NOT EXISTS noted_at timestamptz;
ALTER TABLE reporting.staged_run ALTER COLUMN noted_at SET DEFAULT now();

-- What was undone after a failure; the row of step 'compensate' closes it.
CREATE TABLE IF NOT EXISTS reporting.compensation (
    report       text NOT NULL,  -- name of the report
    run_id       text NOT NULL,  -- Airflow run that failed
    clear_number integer NOT NULL,  -- how often the run was cleared before
    started      text NOT NULL,  -- when this life of the run began
    step         text NOT NULL,  -- whose work was undone
    outcome      text NOT NULL,  -- what was done, or why it could not be
    is_done      boolean NOT NULL,  -- whether nothing is left to undo
    undone_at    timestamptz NOT NULL DEFAULT now(),  -- when it was tried last
    PRIMARY KEY (report, run_id, clear_number, started, step)
);

-- Whether a failed run is run again as a whole: one decision per life of the run.
CREATE TABLE IF NOT EXISTS reporting.run_retry (
    report       text NOT NULL,  -- name of the report
    run_id       text NOT NULL,  -- Airflow run that failed
    clear_number integer NOT NULL,  -- how often the run was cleared before
    started      text NOT NULL,  -- when this life of the run began
    goes         integer NOT NULL,  -- how often the janitor had run it again before this life
    times        integer NOT NULL,  -- how often it may
    due_at       timestamptz NOT NULL,  -- when it is run again
    begun_at     timestamptz,  -- when the janitor has set about it; NULL before
    given_up     text,  -- why it is not run again; NULL when it is
    decided_at   timestamptz NOT NULL DEFAULT now(),  -- when that was decided first
    request_key  text,  -- the business key; NULL when the run never got that far
    period       text,  -- what it reports on
    PRIMARY KEY (report, run_id, clear_number, started)
);
ALTER TABLE reporting.run_retry ADD COLUMN IF NOT EXISTS request_key text;
ALTER TABLE reporting.run_retry ADD COLUMN IF NOT EXISTS period text;

-- Failed runs that the janitor has seen; nobody is asked again about one that is settled.
CREATE TABLE IF NOT EXISTS reporting.failed_run (
    report     text NOT NULL,  -- name of the report
    run_id     text NOT NULL,  -- Airflow run that failed
    ended_at   timestamptz NOT NULL,  -- when it failed, in the life it was seen in
    tried_at   timestamptz NOT NULL,  -- when the sweep began that last set about it
    is_settled boolean NOT NULL,  -- whether nothing is left to undo, to run again or to tell
    PRIMARY KEY (report, run_id)
);

-- When the janitor was last at work; one row.
CREATE TABLE IF NOT EXISTS reporting.sweep (
    is_last  boolean PRIMARY KEY DEFAULT true CHECK (is_last),  -- keeps it at one row
    swept_at timestamptz NOT NULL DEFAULT now()  -- when its last sweep came to its end
);

-- One row per message that was to be sent: alerts of a run, deliveries of a release.
CREATE TABLE IF NOT EXISTS reporting.receipt (
    subject   text NOT NULL,  -- a release, one that is incomplete, a failed run or a dead letter
    channel   text NOT NULL,  -- email or slack
    recipient text NOT NULL,  -- address, or connection of the channel
    is_sent   boolean NOT NULL,  -- whether the far side took it
    tries     integer NOT NULL,  -- how often it was tried
    error     text,  -- why the last try failed; NULL when it was sent
    tried_at  timestamptz NOT NULL DEFAULT now(),  -- when it was tried last
    PRIMARY KEY (subject, channel, recipient)
);

-- Messages that nobody could use, taken off the broker's queue of dead letters.
CREATE TABLE IF NOT EXISTS reporting.dead_letter (
    dead_letter_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- names it on the command line
    digest    text NOT NULL,  -- SHA-256 of the message, which is kept in the store
    queue     text NOT NULL,  -- where it is sent again
    bytes     bigint NOT NULL DEFAULT 0,  -- size of the message
    reason    text NOT NULL,  -- why it could not be used
    source    text,  -- source it was for, if that is known
    report    text,  -- report of the source
    run_id    text,  -- Airflow run that waited for it
    tries     integer NOT NULL,  -- how often it has failed
    state     text NOT NULL DEFAULT 'waiting',  -- waiting, replayed or discarded
    first_at  timestamptz NOT NULL,  -- when it failed first
    last_at   timestamptz NOT NULL,  -- when it failed last
    death     text NOT NULL DEFAULT '',  -- names its last failure, to know it when it is told twice
    settled_at timestamptz,  -- when it was replayed or discarded
    settled_by text,  -- who did that
    event     text,  -- upstream event that it was to tell; NULL if it was for a source
    UNIQUE (digest, queue)
);
ALTER TABLE reporting.dead_letter ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE reporting.dead_letter ADD COLUMN IF NOT EXISTS death text NOT NULL DEFAULT '';
ALTER TABLE reporting.dead_letter ADD COLUMN IF NOT EXISTS settled_at timestamptz;
ALTER TABLE reporting.dead_letter ADD COLUMN IF NOT EXISTS settled_by text;
ALTER TABLE reporting.dead_letter ADD COLUMN IF NOT EXISTS event text;

-- When all was compared, and what came of it; the janitor does it once a day.
CREATE TABLE IF NOT EXISTS reporting.reconciliation (
    reconciled_at timestamptz PRIMARY KEY DEFAULT now(),  -- when it ended
    differences   integer NOT NULL,  -- how many were found
    repaired      integer NOT NULL,  -- how many of them a rule has repaired
    unseen        integer NOT NULL,  -- how many things could not be looked at
    found         jsonb NOT NULL DEFAULT '[]'  -- the first hundred of them, what is left first
);
ALTER TABLE reporting.reconciliation ADD COLUMN IF NOT EXISTS found jsonb NOT NULL DEFAULT '[]';
