"""Passwords and keys of one stack: made once, kept in one file only its owner reads."""

import base64
import json
import secrets
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from embedded_stack.errors import StackError
from embedded_stack.private_file import write_private

FERNET_KEY_BYTES = 32


def _password() -> str:
    return secrets.token_hex(16)


def _fernet_key() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(FERNET_KEY_BYTES)).decode()


@dataclass(frozen=True, repr=False)
class Credentials:
    """All secrets of a stack; a restart keeps them."""

    postgres_superuser: str = field(default_factory=_password)
    postgres_airflow: str = field(default_factory=_password)
    postgres_reporting: str = field(default_factory=_password)
    postgres_operations_owner: str = field(default_factory=_password)
    postgres_operations_reader: str = field(default_factory=_password)
    s3_access_key: str = field(default_factory=lambda: secrets.token_hex(10).upper())
    s3_secret_key: str = field(default_factory=lambda: secrets.token_hex(20))
    broker_password: str = field(default_factory=_password)
    airflow_fernet_key: str = field(default_factory=_fernet_key)
    airflow_jwt_secret: str = field(default_factory=lambda: secrets.token_hex(32))
    airflow_api_secret_key: str = field(default_factory=lambda: secrets.token_hex(32))
    airflow_admin_password: str = field(default_factory=_password)
    supervisor_password: str = field(default_factory=_password)

    @classmethod
    def keep(cls, path: Path) -> "Credentials":
        """Read the secrets at `path`; make and store what is not there yet."""
        known = _read(path)
        names = {item.name for item in fields(cls)}
        credentials = cls(**{name: value for name, value in known.items() if name in names})
        if asdict(credentials) != known:
            write_private(path, json.dumps(asdict(credentials), indent=2) + "\n")
        return credentials


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        known = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise StackError(
            f"{path}: not valid JSON (line {error.lineno}). Put the file back from a copy, or "
            "start over with `make clean`, which removes all data of the stack"
        ) from None
    return {str(name): str(value) for name, value in known.items()}
