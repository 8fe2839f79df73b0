"""Faults that reach an `HttpJobSource`, however it waits."""

from __future__ import annotations

from functools import partial

from docs.generator.fault_row import AGAIN, ENDS, NONE, WAITS, Fault

job = partial(Fault, "HttpJobSource")
callback = partial(Fault, 'HttpJobSource, `wait="callback"`')
ASKED = "integration/test_core_service_job.py"
HOSTILE = "integration/test_core_service_job_hostile.py"
TRIGGER = "dags/test_job_trigger.py"
GIVEN_UP = "integration/test_job_given_up.py"
LIVE = "e2e/test_asking.py"
CALLED = "integration/test_callback_receiving.py"

ROWS = (
    job("the answer to the request is lost, cut off, or 429 or 5xx", AGAIN, "with the same "
        "idempotency key: one job",
        HOSTILE, "test_f3_an_answer_to_the_request_that_is_lost_starts_no_second_job"),
    job("the request is refused, or answered by a page or an error object", ENDS, "with the "
        "service's own words",
        HOSTILE, "test_a_request_that_is_refused_ends_with_the_services_words"),
    job("the answer has no id", ENDS, "",
        ASKED, "test_an_answer_without_an_id_is_refused"),
    job("an id that leads to another path, or into none", ENDS, "",
        HOSTILE, "test_an_id_that_leads_elsewhere_is_refused"),
    job("the task crashes after it has asked", NONE, "it goes on with its job",
        ASKED, "test_a_task_that_runs_again_goes_on_with_its_job"),
    job("the fetch is cleared", NONE, "its job is cancelled, and another one asked for",
        ASKED, "test_a_cleared_fetch_asks_anew_and_cancels_what_it_had_asked_for"),
    job("a look brings no answer: no connection, 429, 5xx, cut off", WAITS, "",
        TRIGGER, "test_a_service_that_is_away_for_a_while_ends_nothing"),
    job("a look is refused, or answered by a page or without a state", ENDS, "at once",
        TRIGGER, "test_a_look_that_is_refused_ends_the_waiting_at_once"),
    job("the job fails", AGAIN, "with the service's reason; another job is asked for",
        LIVE, "test_a_job_that_fails_is_asked_anew_and_the_services_reason_is_told"),
    job("the job makes no progress for `stalled_after`", AGAIN, "it is cancelled",
        GIVEN_UP, "test_a_job_is_given_up_with_its_reason"),
    job("the service is silent for `stalled_after`", AGAIN, "as without progress",
        TRIGGER, "test_a_job_that_moves_on_is_not_stalled_and_one_that_does_not_is"),
    job("the job does not end in `time_limit`", AGAIN, "it is cancelled",
        GIVEN_UP, "test_a_job_is_given_up_with_its_reason"),
    job("the service is away until `time_limit`", AGAIN, "with the reason of the last look",
        TRIGGER, "test_a_job_that_does_not_end_is_late"),
    job("the record of the request is gone", AGAIN, "it is asked anew",
        GIVEN_UP, "test_a_request_that_is_gone_is_asked_for_again"),
    job("the result is cut off, or cannot be had now", AGAIN, "",
        HOSTILE, "test_f49_a_result_that_was_cut_off_is_read_again"),
    job("the result is a page, an error object or a refusal", ENDS, "",
        HOSTILE, "test_a_result_that_is_none_is_never_staged"),
    job("the result is over `max_bytes`", ENDS, "",
        HOSTILE, "test_a_result_over_its_limit_is_refused"),
    job("the link to the result has expired", NONE, "it is asked for anew",
        ASKED, "test_a_link_that_has_expired_is_asked_for_anew"),
    job("the new link has expired, too", ENDS, "",
        HOSTILE, "test_a_link_that_has_expired_again_ends_the_fetch"),
    job("the link leads to another host", ENDS, "nothing was sent there",
        ASKED, "test_a_link_to_another_host_is_not_followed"),
    job("an error page echoes the link's signature", NONE, "it is taken out",
        HOSTILE, "test_f8_no_secret_of_a_job_is_in_any_message"),
    job("the run fails, or a person ends it", NONE, "the job is cancelled",
        LIVE, "test_a_job_nobody_waits_for_any_more_is_cancelled"),
    job("the id of a job to be cancelled never came", NONE, "it is asked for with the same key, "
        "and cancelled",
        ASKED, "test_a_job_whose_id_never_came_is_cancelled_all_the_same"),
    job("a job to be cancelled is gone, or has ended", NONE, "",
        ASKED, "test_a_job_that_is_gone_counts_as_cancelled"),
    job("the service cannot be reached to cancel", NONE, "the record stays, and the clean-up is "
        "tried again",
        ASKED, "test_a_service_that_cannot_be_reached_leaves_the_record"),
    callback("a call before the answer to the request", NONE, "it is kept, and counts",
        CALLED, "test_f53_an_early_call_is_kept"),
    callback("the same call again", NONE, "200, and nothing changes",
        CALLED, "test_f53_a_repeated_call_changes_nothing"),
    callback("a call that contradicts the first", NONE, "200; it is kept beside the first, which "
        "counts",
        CALLED, "test_f53_a_contrary_call_is_kept_beside_the_first_and_not_applied"),
    callback("the first call tells of no end, as of progress", NONE, "from then on the service is "
        "asked",
        TRIGGER, "test_f53_a_first_call_that_tells_of_no_end_hides_none"),
    callback("all three of these in a run", NONE, "the rows are published once",
        LIVE, "test_f53_a_call_before_the_answer_counts_and_a_contrary_one_later_does_not"),
    callback("a call after the time", WAITS, "the call gets 403",
        CALLED, "test_f53_a_late_call_is_refused"),
    callback("a forged, changed or unsigned address", WAITS, "the call gets 403",
        CALLED, "test_f53_a_forged_address_is_refused"),
    callback("the address of another request", WAITS, "the call is kept for that one only",
        CALLED, "test_f53_an_address_is_good_for_its_own_request_only"),
    callback("a call over 64 KiB, whether it tells its size or not", WAITS, "the call gets 413",
        CALLED, "test_f53_an_oversized_call_is_refused_whether_it_tells_its_size_or_not"),
    callback("a call that is no JSON object", WAITS, "the call gets 422",
        CALLED, "test_f53_a_call_that_is_no_object_is_refused"),
    callback("a call that is cut short", WAITS, "nothing is kept of it",
        CALLED, "test_f53_a_call_that_is_cut_short_is_none"),
    callback("a call that cannot be kept", WAITS, "the call gets 503, so that it is repeated",
        CALLED, "test_f53_what_cannot_be_kept_is_not_acknowledged"),
    callback("a call after the clean-up", NONE, "200, and nothing is kept",
        CALLED, "test_f53_a_call_after_the_clean_up_is_taken_and_leaves_nothing"),
    callback("no secret is set to sign addresses with", WAITS, "the call gets 503",
        CALLED, "test_an_installation_without_a_secret_believes_nobody"),
    callback("the store of calls is away while the run waits", WAITS, "",
        TRIGGER, "test_a_store_that_is_away_for_a_while_ends_nothing"),
    callback("no call comes in `time_limit`", NONE, "one look decides: done, failed, or tried "
        "again",
        TRIGGER, "test_f53_when_no_call_comes_one_look_decides"),
)  # fmt: skip
