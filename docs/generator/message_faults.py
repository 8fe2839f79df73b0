"""Faults that reach a `MessageSource`."""

from __future__ import annotations

from functools import partial

from docs.generator.fault_row import AGAIN, ENDS, LETTER, NONE, WAITS, Fault

row = partial(Fault, "MessageSource")
BASIC = "integration/test_core_service_messages.py"
REFUSED = "integration/test_core_service_messages_refused.py"
HOSTILE = "integration/test_core_service_messages_hostile.py"
SEEN = "integration/test_core_service_seen.py"
AT_ONCE = "integration/test_core_service_at_once.py"
TRIGGER = "integration/test_message_trigger.py"
LONG_WORK = "integration/test_service_long_work.py"
DEAD = "integration/test_core_dead_letters.py"
DEAD_HOSTILE = "integration/test_core_dead_letters_hostile.py"
MANY = "integration/test_hostile_broker.py"
LIVE = "e2e/test_asking.py"

ROWS = (
    row("the broker is away when it is asked", AGAIN, "",
        BASIC, "test_a_broker_that_is_away_is_worth_another_try"),
    row("the broker is away while the run waits", WAITS, "",
        TRIGGER, "test_a_broker_that_is_away_is_waited_for_until_the_time_is_over"),
    row("the broker refuses the login", AGAIN, "the password is not told",
        HOSTILE, "test_f8_a_wrong_login_is_named_without_its_secret"),
    row("nobody has a queue for such requests", AGAIN, "naming the queue",
        BASIC, "test_a_queue_that_nobody_serves_is_named"),
    row("the request could not be sent", AGAIN, "it is sent from its record, with the same key",
        HOSTILE, "test_a_request_that_could_not_be_sent_is_sent_from_its_record"),
    row("the task crashes after the sending", NONE, "it is sent again, and the answer staged once",
        HOSTILE, "test_a_crash_after_the_sending_sends_again_and_the_answer_is_staged_once"),
    row("the service starts late", WAITS, "",
        LIVE, "test_a_service_that_starts_late_is_waited_for"),
    row("parts come in any order, and twice", NONE, "each is staged once, in order",
        BASIC, "test_parts_in_any_order_and_twice_are_staged_once_in_order"),
    row("a part is missing", WAITS, "",
        BASIC, "test_an_answer_is_not_whole_before_each_part_has_come"),
    row("half an answer comes at once", WAITS, "what came is kept",
        AT_ONCE, "test_half_an_answer_is_kept_and_is_no_end"),
    row("the store fails before a part is kept", NONE, "it is not acknowledged, and comes again",
        BASIC, "test_a_part_is_kept_before_it_is_acknowledged"),
    row("the connection is lost before a part is acknowledged", NONE, "it comes again, and is "
        "staged once",
        HOSTILE, "test_a_connection_lost_before_the_acknowledgement_brings_the_part_again"),
    row("parts contradict each other before the answer is whole", AGAIN, "the later one is a dead "
        "letter",
        REFUSED, "test_a_contradiction_before_the_answer_is_whole_ends_the_request"),
    row("a part contradicts a whole answer", LETTER, "",
        REFUSED, "test_a_part_that_comes_again_with_other_rows_is_a_dead_letter"),
    row("a reply makes no sense, or answers another request", LETTER, "with the run and the source",
        REFUSED, "test_f55_a_message_that_makes_no_sense_is_a_dead_letter_with_its_reason"),
    row("rows in a part with number 0", AGAIN, "the message is a dead letter",
        REFUSED, "test_rows_without_a_number_end_the_request"),
    row("headers that the client library cannot read", NONE, "they are left out",
        DEAD_HOSTILE, "test_f55_headers_that_cannot_be_read_block_no_queue"),
    row("a request makes no sense to its service", LETTER, "",
        DEAD, "test_f55_a_request_that_makes_no_sense_blocks_nothing_and_is_kept"),
    row("a service fails on a request each time", LETTER, "after some tries",
        DEAD, "test_f55_a_request_its_service_fails_on_comes_here_after_some_tries"),
    row("the service refuses", AGAIN, "with its own words",
        AT_ONCE, "test_a_refusal_is_an_end"),
    row("the service works for long, and shows signs of life", WAITS, "each extends the wait",
        TRIGGER, "test_signs_of_life_extend_the_wait_and_silence_ends_it"),
    row("signs of life come for ever", AGAIN, "after `time_limit`",
        TRIGGER, "test_signs_of_life_do_not_extend_the_time_limit"),
    row("messages come faster than they are taken", WAITS, "no worker is held",
        REFUSED, "test_a_service_that_never_pauses_holds_nobody"),
    row("the service is silent for `stalled_after`, or not done in `time_limit`", AGAIN,
        "nothing is left of the request",
        SEEN, "test_waiting_that_ended_without_an_answer_ends_the_request"),
    row("work outlasts the heartbeat of the broker", NONE, "the connection is kept",
        LONG_WORK, "test_f54_a_connection_is_kept_while_the_work_goes_on"),
    row("a request is delivered again while it is worked on", NONE, "it is the same work",
        LONG_WORK, "test_f54_a_request_delivered_again_while_it_is_worked_on_is_the_same_work"),
    row("the reply queue is lost while the run waits", NONE, "the task goes on at once",
        TRIGGER, "test_a_reply_queue_that_is_gone_ends_the_waiting"),
    row("the reply queue is lost with its broker", NONE, "it is made again, and the request sent "
        "again",
        SEEN, "test_a_queue_that_is_gone_is_made_again_and_the_request_is_sent_again"),
    row("nobody waits for the answer any more", NONE, "it goes nowhere, and the service goes on",
        BASIC, "test_a_request_that_nobody_waits_for_any_more_is_done_with"),
    row("the run fails, or a person ends it", NONE, "the reply queue is removed",
        LIVE, "test_a_request_nobody_waits_for_any_more_leaves_no_queue"),
    row("a reference leads to another bucket, or to nothing", ENDS, "naming the object",
        REFUSED, "test_a_reference_that_leads_nowhere_is_named"),
    row("a reference leads to other bytes than were told", ENDS, "naming the object",
        HOSTILE, "test_a_reference_to_other_bytes_than_were_told_is_named"),
    row("rows do not fit", ENDS, "naming row and column",
        HOSTILE, "test_rows_that_do_not_fit_are_named_and_nothing_is_staged"),
    row("broker, services and reports are killed again and again, with poison among a thousand "
        "requests", NONE, "each good one is staged once, each poison is a dead letter",
        MANY, "test_every_good_request_is_staged_once_and_every_poison_is_a_dead_letter"),
)  # fmt: skip
