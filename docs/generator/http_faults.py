"""Faults that reach an `HttpSource`."""

from __future__ import annotations

from functools import partial

from docs.generator.fault_row import AGAIN, ENDS, NONE, Fault

SOURCE = "HttpSource"
row = partial(Fault, SOURCE)
BASIC = "integration/test_core_fetch_http.py"
FAULTS = "integration/test_core_fetch_http_faults.py"
HOSTILE = "integration/test_core_fetch_http_hostile.py"
PAGES = "integration/test_core_fetch_http_pages.py"
BODIES = "integration/test_core_fetch_http_bodies.py"
TOKEN = "integration/test_core_fetch_http_token.py"  # noqa: S105
TLS = "integration/test_core_fetch_http_tls.py"

ROWS = (
    row("nobody listens", AGAIN, "",
        FAULTS, "test_a_service_that_is_down_is_asked_again"),
    row("no connection is taken", AGAIN, "after `connect_timeout`",
        FAULTS, "test_f84_a_server_that_takes_no_connection_is_left_in_time"),
    row("no answer comes", AGAIN, "after `read_timeout`",
        FAULTS, "test_f84_a_server_that_never_answers_is_left_in_time"),
    row("headers, body or the words of a refusal come byte by byte", AGAIN, "after `time_limit`",
        HOSTILE, "test_f84_an_answer_that_drips_ends_within_the_total_limit"),
    row("pages come for ever", AGAIN, "after `time_limit`",
        PAGES, "test_f84_pages_without_an_end_are_left_at_the_time_limit"),
    row("a page is cut off: too few bytes, no last chunk, half a chunk, an unfinished gzip, no "
        "answer at all", AGAIN, "",
        HOSTILE, "test_f49_a_page_that_was_cut_off_is_read_again"),
    row("one answer of whole rows is cut off, in any format", AGAIN, "",
        BODIES, "test_f49_a_body_of_whole_rows_that_was_cut_off_is_no_body"),
    row("a CSV ends on a row border, before its announced length", AGAIN, "",
        BODIES, "test_f49_a_csv_that_was_cut_on_a_row_border_is_no_csv"),
    row("429, 503 with `Retry-After`", AGAIN, "after so long, an hour at most",
        BASIC, "test_the_status_decides_whether_to_come_again"),
    row("429 or 5xx in mid-paging", AGAIN, "",
        HOSTILE, "test_a_page_that_is_to_be_had_later_is_asked_for_later"),
    row("any other 4xx", ENDS, "with the service's own words",
        HOSTILE, "test_a_refusal_ends_the_fetch_with_the_services_words"),
    row("nobody vouches for its certificate", AGAIN, "nothing was sent",
        TLS, "test_a_certificate_that_nobody_vouches_for_is_sent_nothing"),
    row("the token runs out in mid-paging", NONE, "another one is got",
        TOKEN, "test_a_token_that_runs_out_in_mid_paging_is_got_anew"),
    row("no token is ever good", ENDS, "after a second one",
        TOKEN, "test_a_token_that_is_never_good_is_got_anew_once"),
    row("the giver of tokens refuses", ENDS, "with its own words; one that is away or drips is "
        "asked again",
        TOKEN, "test_a_token_that_is_not_given_leaves_nothing_half"),
    row("200 with a login page for a page of rows", ENDS, "",
        HOSTILE, "test_a_200_that_is_no_page_ends_the_fetch"),
    row("200 with a login page for one answer of any format", ENDS, "also where rows may be set "
        "aside",
        BODIES, "test_a_page_for_people_is_no_data"),
    row("200 with an error object for rows", ENDS, "with the service's own words",
        BODIES, "test_an_error_object_is_no_row_of_nulls"),
    row("200 with rows, and an `error` beside them", ENDS, "with the service's own words",
        HOSTILE, "test_rows_beside_an_error_are_no_page"),
    row("200 with another shape", ENDS, "naming what came",
        BASIC, "test_200_with_another_shape_is_refused"),
    row("a page is short or empty before the end (cursor)", NONE, "the cursor decides",
        BASIC, "test_f45_the_end_is_the_services_own_word_not_a_short_page"),
    row("a page is short before the end (number, offset)", NONE, "total or mark decides",
        PAGES, "test_f45_the_last_page_is_told_and_not_guessed"),
    row("a page is empty before the end (number, offset)", NONE, "the mark decides",
        PAGES, "test_f45_an_empty_page_before_the_end_is_no_end"),
    row("total or mark of the end is of another type", ENDS, "",
        PAGES, "test_an_end_that_is_not_told_as_declared_is_refused"),
    row("cursors go in circles, or are empty", ENDS, "naming the cursor",
        BASIC, "test_f47_cursors_that_go_in_circles_are_named"),
    row("a cursor is no text and no number", ENDS, "",
        BASIC, "test_a_cursor_that_is_none_is_refused"),
    row("links go in circles", ENDS, "",
        PAGES, "test_f47_links_that_go_in_circles_are_named"),
    row("the offset is ignored", ENDS, "at the second page",
        PAGES, "test_f47_an_offset_that_the_service_ignores_is_found"),
    row("data changes under offsets: another total, a key twice, more or fewer rows than counted",
        AGAIN, "", PAGES, "test_data_that_changes_while_it_is_read_is_read_again"),
    row("a redirect to another host", ENDS, "nothing was sent there",
        FAULTS, "test_f50_a_redirect_to_another_host_gets_nothing"),
    row("a redirect out of TLS", ENDS, "nothing was sent there",
        TLS, "test_f50_a_redirect_that_leaves_tls_gets_nothing"),
    row("a link to a page on another host", ENDS, "nothing was sent there",
        PAGES, "test_f50_a_link_to_another_host_gets_nothing"),
    row("a redirect on the same host", NONE, "it is followed",
        FAULTS, "test_f50_a_redirect_on_the_same_host_is_followed"),
    row("a redirect to itself", ENDS, "after five",
        FAULTS, "test_a_redirect_to_itself_ends"),
    row("an error page echoes login, headers and query", NONE, "they are taken out, in every form",
        FAULTS, "test_f8_no_secret_is_in_any_message"),
    row("the giver of tokens echoes the login", NONE, "it is taken out",
        TOKEN, "test_f8_no_secret_is_repeated_that_the_giver_of_tokens_echoes"),
    row("text in another charset, declared", NONE, "it is read in that",
        BODIES, "test_the_declared_charset_is_the_one_that_is_read"),
    row("text in another charset than declared, or in one that does not exist", ENDS, "",
        BODIES, "test_text_of_another_charset_than_declared_is_refused"),
    row("numbers with more digits than a float has", NONE, "every digit is kept",
        BODIES, "test_f28_f30_numbers_are_exact_in_every_format_of_text"),
    row("a number beyond all numbers", ENDS, "",
        BASIC, "test_f33_a_number_beyond_all_numbers_is_an_answer_of_another_shape"),
    row("an answer over `max_bytes`", ENDS, "",
        BODIES, "test_an_answer_over_its_limit_is_refused"),
    row("a small answer that unzips to a large one", ENDS, "before it is unzipped",
        HOSTILE, "test_a_zip_bomb_is_not_unpacked"),
    row("an answer larger than memory", NONE, "it is read as a stream",
        BODIES, "test_f64_memory_does_not_grow_with_the_answer"),
)  # fmt: skip
