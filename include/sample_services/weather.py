"""A paged HTTP API of hourly weather at New York's airports in 2013.

Usage: python -m sample_services.weather --port 8090
"""

import argparse
from typing import Annotated

import uvicorn
from fastapi import FastAPI, HTTPException, Query
from fastapi.responses import JSONResponse
from pydantic import AwareDatetime

from sample_services import flight_data
from sample_services.observations import BadCursorError, Observations

LOOPBACK = "127.0.0.1"
LARGEST_PAGE = 500
UNPROCESSABLE = 422

Instant = Annotated[
    AwareDatetime, Query(description="ISO instant with offset, such as 2013-07-04T00:00:00Z")
]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE)]


def create_app(observations: Observations) -> FastAPI:
    """The API over some observations."""
    app = FastAPI(title="Hourly weather")

    @app.get("/health")
    def health() -> dict[str, dict[str, str]]:
        return {"weather": {"status": "healthy"}}

    @app.get("/observations")
    def read(
        since: Annotated[Instant, Query(alias="from")],
        until: Annotated[Instant, Query(alias="to")],
        limit: Limit = LARGEST_PAGE,
        cursor: str | None = None,
    ) -> JSONResponse:
        if since > until:
            raise HTTPException(UNPROCESSABLE, "from: is after to; allowed is from <= to")
        try:
            page = observations.page(since, until, limit, cursor)
        except BadCursorError:
            raise HTTPException(
                UNPROCESSABLE, "cursor: unknown; allowed is the `next` of an earlier answer"
            ) from None
        return JSONResponse({"items": page.items, "next": page.next})

    return app


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Serve hourly weather of 2013.")
    parser.add_argument("--host", default=LOOPBACK, help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    observations = Observations.read(flight_data.weather())
    uvicorn.run(create_app(observations), host=options.host, port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
