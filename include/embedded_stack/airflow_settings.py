"""How Airflow is set up on a small machine; every setting says why it is there."""

import os
from pathlib import Path

from embedded_stack import connections, databases, postgres
from embedded_stack.caller import without_foreign
from embedded_stack.layout import CHECKOUT, Layout
from embedded_stack.ports import LOOPBACK

FIXED = {
    "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    # A new file must not report on yesterday by itself: its author switches it on.
    "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "True",
    # Task processes at the same time: sources wait on others more than they compute.
    "AIRFLOW__CORE__PARALLELISM": "8",
    # No name lookup: it can hang where there is no DNS.
    "AIRFLOW__CORE__HOSTNAME_CALLABLE": "socket.gethostname",
    # The scheduler looks for work this often when it has none.
    "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.5",
    # Runs that wait for a service stand in line with all others for a look of the scheduler, and by
    # default it takes 20 at a time: with 200 of them each step of a quick run waited for 15 s.
    "AIRFLOW__SCHEDULER__MAX_DAGRUNS_PER_LOOP_TO_SCHEDULE": "250",
    # A killed scheduler or triggerer is noticed within seconds, not minutes.
    "AIRFLOW__SCHEDULER__JOB_HEARTBEAT_SEC": "3",
    "AIRFLOW__TRIGGERER__JOB_HEARTBEAT_SEC": "3",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "20",
    "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "20",
    # A task whose process was killed is given up after this many seconds without a sign.
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    # One parser: there are few files, and the second core belongs to the reports.
    "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
    # New files are seen, and changed ones read again, after seconds; the others now and then, for
    # the sake of what they import.
    "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "10",
    "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "60",
    "AIRFLOW__API__WORKERS": "1",
    # How late the end of a task process may be noticed.
    "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
    # A proxy of the shell must not come between loopback and us.
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}


def environment(layout: Layout) -> dict[str, str]:
    """Everything Airflow and the reports need to know, as environment variables."""
    return {
        **FIXED,
        **_places(layout),
        **_addresses(layout),
        **_secrets(layout),
        **connections.environment(layout),
        **layout.ports.to_environment(),
        "REPORTS_HOME": str(layout.home),
        **layout.settings,
    }


def admin_password(layout: Layout) -> dict[str, str]:
    """The administrator's entry in the file in which Airflow's login looks up passwords."""
    return {connections.ADMIN: layout.credentials.airflow_admin_password}


def web_address(layout: Layout) -> str:
    """Where people and tasks reach Airflow."""
    return f"http://{LOOPBACK}:{layout.ports.web}"


def _places(layout: Layout) -> dict[str, str]:
    return {
        "AIRFLOW_HOME": str(layout.airflow),
        "AIRFLOW__CORE__DAGS_FOLDER": str(layout.dags_folder),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(CHECKOUT / "plugins"),
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(layout.log / "tasks"),
        "AIRFLOW__LOGGING__DAG_PROCESSOR_CHILD_PROCESS_LOG_DIRECTORY": str(
            layout.log / "dag-processor"
        ),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(password_file(layout)),
        "PYTHONPATH": str(CHECKOUT / "include"),
    }


def password_file(layout: Layout) -> Path:
    """Where Airflow's login looks up passwords."""
    return layout.airflow / "passwords.json"


def _addresses(layout: Layout) -> dict[str, str]:
    return {
        "AIRFLOW__API__HOST": LOOPBACK,
        "AIRFLOW__API__PORT": str(layout.ports.web),
        "AIRFLOW__API__BASE_URL": web_address(layout),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{web_address(layout)}/execution/",
        "REPORTING_CALLBACK_URL": web_address(layout),
    }


def _secrets(layout: Layout) -> dict[str, str]:
    role = databases.AIRFLOW.owner
    login = f"{role}:{postgres.password_of(layout, role)}"
    place = f"{LOOPBACK}:{layout.ports.postgres}/{databases.AIRFLOW.name}"
    return {
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"postgresql+psycopg2://{login}@{place}",
        "AIRFLOW__CORE__FERNET_KEY": layout.credentials.airflow_fernet_key,
        # What is signed with it says what it is for, so the two uses cannot be mixed up.
        "REPORTING_CALLBACK_SECRET": layout.credentials.airflow_api_secret_key,
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{connections.ADMIN}:admin",
        "AIRFLOW__API__SECRET_KEY": layout.credentials.airflow_api_secret_key,
        "AIRFLOW__API_AUTH__JWT_SECRET": layout.credentials.airflow_jwt_secret,
    }


def command_environment(layout: Layout) -> dict[str, str]:
    """The environment of an Airflow command run to its end, free of the shell's own settings."""
    return without_foreign(os.environ) | environment(layout)
