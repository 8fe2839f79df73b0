"""Real flights of 2013 as the sample sources: a table and a file in the landing bucket."""

from collections.abc import Callable

from embedded_stack import databases, postgres, store
from embedded_stack.layout import Layout
from sample_services import flight_data

AIRLINES_BUCKET = "landing"
AIRLINES_KEY = "reference/airlines.csv"
PIECE_BYTES = 1 << 20
# Columns and order are the data set's own; a key that starts with time_hour also serves periods.
CREATE_FLIGHTS = """
CREATE TABLE flights (
    year smallint NOT NULL,
    month smallint NOT NULL,
    day smallint NOT NULL,
    dep_time integer,
    sched_dep_time integer NOT NULL,
    dep_delay integer,
    arr_time integer,
    sched_arr_time integer NOT NULL,
    arr_delay integer,
    carrier text NOT NULL,
    flight integer NOT NULL,
    tailnum text,
    origin text NOT NULL,
    dest text NOT NULL,
    air_time integer,
    distance integer NOT NULL,
    hour smallint NOT NULL,
    minute smallint NOT NULL,
    time_hour timestamptz NOT NULL
)"""
COPY_FLIGHTS = "COPY flights FROM STDIN (FORMAT csv, HEADER match, NULL 'NA')"
KEY_OF_FLIGHTS = "ALTER TABLE flights ADD PRIMARY KEY (time_hour, carrier, flight, origin)"


def load_flights(layout: Layout) -> int:
    """Load the flights once; the table is there whole or not at all.

    Returns:
        How many rows were loaded, 0 when they were there already.
    """
    source = databases.OPERATIONS
    with postgres.connect(layout, source.name, source.owner) as connection:
        with connection.transaction():
            if connection.execute("SELECT to_regclass('flights')").fetchone() != (None,):
                return 0
            connection.execute(CREATE_FLIGHTS)
            loaded = _copy_flights(connection)
            connection.execute(KEY_OF_FLIGHTS)
        connection.execute("ANALYZE flights")
        return loaded


def airlines_kept(layout: Layout) -> Callable[[], bool]:
    """A question to the store: does it hold the airlines? It puts them where they are missing."""
    s3 = store.client(layout)
    body = flight_data.airlines()
    return lambda: store.keeps(s3, AIRLINES_BUCKET, AIRLINES_KEY, body)


def _copy_flights(connection: postgres.Connection) -> int:
    cursor = connection.cursor()
    with flight_data.open_flights() as file, cursor.copy(COPY_FLIGHTS) as copy:
        while piece := file.read(PIECE_BYTES):
            copy.write(piece)
    return cursor.rowcount
