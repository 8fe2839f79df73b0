"""Faults that reach an `S3Source`."""

from __future__ import annotations

from functools import partial

from docs.generator.fault_row import AGAIN, ENDS, NONE, WAITS, Fault

row = partial(Fault, "S3Source")
ONE = "integration/test_core_fetch_s3.py"
SETS = "integration/test_core_fetch_s3_sets.py"
PINNED = "integration/test_core_fetch_s3_pinned.py"
GIVEN_UP = "integration/test_drop_given_up.py"
HOSTILE = "integration/test_core_fetch_s3_hostile.py"
TRIGGER = "dags/test_drop_trigger.py"
LIVE = "e2e/test_drops.py"

ROWS = (
    row("the object is not there, and is waited for", WAITS, "",
        TRIGGER, "test_it_looks_until_the_drop_is_there"),
    row("the object is not there, and is not waited for", AGAIN, "naming it",
        GIVEN_UP, "test_a_drop_that_is_not_waited_for_is_tried_again"),
    row("the object is there, and its marker is not", WAITS, "naming it",
        ONE, "test_what_is_missing_is_named"),
    row("a set is there, and its marker is late", WAITS, "",
        SETS, "test_a_set_is_read_once_its_marker_is_there"),
    row("the drop never comes", ENDS, "after `wait`",
        GIVEN_UP, "test_a_drop_that_never_came_ends_the_fetch"),
    row("an optional drop never comes", ENDS, "the run goes on, and names it",
        LIVE, "test_an_optional_drop_that_does_not_come_is_left_out_and_named"),
    row("a set is written again, under the marker of before", WAITS, "",
        SETS, "test_f17_a_set_that_is_written_again_is_waited_for"),
    row("objects come with the marker, after the look at it", NONE, "they are read, too",
        SETS, "test_f17_what_comes_with_the_marker_is_among_what_is_listed"),
    row("the drop goes away while it is listed", WAITS, "",
        SETS, "test_f17_a_drop_that_goes_away_while_it_is_listed_is_none"),
    row("an object of the list is missing, or differs from it", WAITS, "rows and hash are compared "
        "when it is read, and then it is tried again",
        SETS, "test_a_list_says_what_is_read_and_what_it_must_be"),
    row("the list is none", ENDS, "",
        SETS, "test_a_list_that_is_none_fails"),
    row("a set without a marker grows", WAITS, "until it has settled",
        SETS, "test_a_set_that_grows_is_waited_for_until_it_has_settled"),
    row("a Parquet file is there in part", ENDS, "",
        ONE, "test_f17_a_parquet_file_that_is_there_in_part_is_no_drop"),
    row("the body is cut off, or cannot be had now", AGAIN, "",
        HOSTILE, "test_f49_an_object_that_was_cut_off_is_read_again"),
    row("the store falls silent while it is read", AGAIN, "",
        HOSTILE, "test_f84_a_store_that_falls_silent_is_left_in_time"),
    row("an object changes between look and read", AGAIN, "naming it",
        PINNED, "test_f17_without_versions_a_change_after_the_look_is_noticed"),
    row("an object changes between two objects of a set", AGAIN, "naming it",
        PINNED, "test_f17_without_versions_a_change_between_two_objects_is_noticed"),
    row("an object changes, and the bucket keeps versions", NONE, "the version of the look is read",
        PINNED, "test_f17_with_versions_those_that_were_found_are_read"),
    row("an object is replaced while it is read", AGAIN, "or it is read as it was: never a mix",
        PINNED, "test_f17_an_object_replaced_while_it_is_read_is_never_a_mix"),
    row("the secret is wrong", ENDS, "at once: it is no absence",
        PINNED, "test_f73_a_wrong_secret_is_no_absence"),
    row("the right is taken away while the run waits", ENDS, "at once",
        TRIGGER, "test_f73_a_refusal_ends_the_waiting_at_once"),
    row("the login of an optional source is wrong", ENDS, "red and told, in a run that goes on",
        LIVE, "test_f73_a_wrong_login_of_an_optional_drop_is_red_and_told"),
    row("there is no such bucket", ENDS, "at once: it is no absence",
        PINNED, "test_f73_a_bucket_that_is_not_there_is_no_absence"),
    row("the store is away when it is looked at", AGAIN, "",
        PINNED, "test_a_store_that_is_away_may_come_back"),
    row("the store is away while the run waits", WAITS, "",
        TRIGGER, "test_it_looks_until_the_drop_is_there"),
    row("rows or headings have another shape", ENDS, "naming object, row and column",
        ONE, "test_rows_of_another_shape_are_named"),
    row("one row of one object of a set does not fit", ENDS, "naming it, or it is set aside",
        SETS, "test_row_and_object_of_what_does_not_fit_are_named"),
)  # fmt: skip
