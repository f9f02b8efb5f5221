"""The settings of a server: command line over environment over default, and all problems with them told at once.

Knows what may be set and what is accepted; starts nothing, opens nothing, writes no file.
"""

import argparse
import difflib
import ipaddress
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.address_of import Network
from server.store import address

PREFIX = "OVERSEER_"
DEFAULT_FOLDER = Path("$XDG_DATA_HOME/overseer")  # resolved only when nothing else was given: it can fail

log = logging.getLogger("overseer.config")


def _often(whose: str) -> str:
    return f"commands per second that {whose} may send for long, many more at once; 0: no limit"


# What each setting accepts, as it is told to whoever gave something else, and as --help shows it.
ACCEPTED = {
    "host": "an address or name of this machine, such as 127.0.0.1 (only this machine) or 0.0.0.0 (the whole network)",
    "port": "a whole number from 0 to 65535 (0: any free port)",
    "data_dir": "a folder that this server may write to; it is made if missing",
    "redis_url": "redis://[user:password@]host:6379/0, rediss://..., unix:///path, redis+sentinel://host:26379,.../NAME "
    "or redis+cluster://host:6379,...; nothing: the built-in store",
    "public_url": "the address at which players reach this server, such as https://table.example.org",
    "accept_weaker_durability": "yes or no; yes: accept a store that may lose the last second when its machine fails",
    "wait_for_replica": "yes or no; yes: nothing counts before a replica has it on its disk too (always so with Sentinel or "
    "a cluster, unless weaker durability is accepted)",
    "log_level": "debug, info, warning or error",
    "heartbeat_s": "seconds between two signs of life, from 0.1 to 300",
    "allowed_origins": "web pages that may connect besides the server's own: https://host[:port], separated by commas, "
    "or * for all",
    "tls_cert": "the file with the certificate of this server and those that vouch for it (PEM); with --tls-key",
    "tls_key": "the file with the key of that certificate (PEM, without a password)",
    "trusted_proxies": "addresses of reverse proxies whose X-Forwarded-For or Forwarded is believed: 10.0.0.2 or "
    "10.0.0.0/24, separated by commas",
    "rate_connection": _often("one connection"),
    "rate_seat": _often("all connections of a seat"),
    "rate_table": _often("a table, and its Storytellers besides,"),
    "rate_address": _often("one address"),
    "rate_log": "bytes that a seat's commands may add to its table's log per second, 1000 times as many at once, a "
    "Storyteller's ten times as many; 0: no limit",
    "rate_joins": "connections that one address may open per second, 30 times as many at once; 0: no limit",
    "rate_joins_all": "connections that may be opened per second in all, 6 times as many at once; 0: no limit",
    "connections": "how many connections there may be; 0: no limit",
    "connections_address": "how many connections one address may have; 0: no limit",
    "connections_seat": "how many connections a seat may have (spectators: half of their table's); 0: no limit",
    "connections_table": "how many connections a table may have; 0: no limit",
    "connections_unknown": "how many connections there may be whose token is not checked yet, from one address a quarter; "
    "0: no limit",
}


class SettingsProblem(Exception):
    """The settings cannot be used. `lines` has one plain sentence per problem, str() all of them, one per line.

    The program should print it and exit with code 2.
    """

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


class _Reason(ValueError):
    """Why a value of the right form cannot be used, in words for whoever gave it."""


def _bare_host(value: str) -> str:
    host = value.strip().removeprefix("[").removesuffix("]")
    if ":" in host:
        ipaddress.IPv6Address(host)
    elif not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", host):
        raise ValueError("no host name or address")
    return host


def _folder(value: object) -> Path:
    """Absolute, `~` resolved; must not lie where a file already is."""
    if value == DEFAULT_FOLDER:
        # The XDG specification says to ignore a relative path here.
        shared = os.environ.get("XDG_DATA_HOME", "")
        path = (Path(shared) if os.path.isabs(shared) else _expanded("~/.local/share")) / "overseer"
    elif value:
        path = _expanded(str(value))
    else:  # a shell makes that of a variable that is not set; it would be the folder one happens to be in
        raise _Reason("no folder")
    for part in (path, *path.parents):
        if part.is_dir():
            return path
        if part.exists():
            raise _Reason(f"{part} is a file")
    return path


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as cause:  # no HOME and no entry for this user, as in some containers
        raise _Reason("this user has no home folder") from cause


def _split(value: str) -> SplitResult:
    parts = urlsplit(value)
    _ = parts.port  # raises ValueError where it is no port number
    return parts


def _store_address(value: str) -> str:
    address.read(value)  # raises ValueError where it is none
    return value


def _web_address(value: str) -> str:
    parts = _split(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("no web address")
    return value.rstrip("/")


def _comma_separated(value: object) -> object:
    if isinstance(value, str):
        return tuple(one.strip() for one in value.split(",") if one.strip())
    return value


def _origin(value: str) -> str:
    if value == "*":
        return value
    address = _web_address(value)
    if urlsplit(address).path:
        raise ValueError("an origin has no path")
    return address.lower()


def _file(value: object) -> Path:
    path = _expanded(str(value))
    try:
        path.open("rb").close()
    except OSError as cause:
        raise _Reason(f"{path} cannot be read: {cause.strerror}") from cause
    return path


def _network(value: str) -> Network:
    return ipaddress.ip_network(value)


def _empty_is_none(value: object) -> object:
    return None if value == "" else value


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


Most = Annotated[int, Field(ge=0, le=1_000_000)]


class Settings(BaseSettings):
    """One server's settings, checked and unchangeable. Made by `load_settings`."""

    # An empty variable counts as unset: compose files pass on what they do not know that way.
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    host: Annotated[str, AfterValidator(_bare_host)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 7777
    data_dir: Annotated[Path, BeforeValidator(_folder)] = Field(default=DEFAULT_FOLDER, validate_default=True)
    # May hold a password: not shown when the settings are printed.
    redis_url: Annotated[Annotated[str, AfterValidator(_store_address)] | None, BeforeValidator(_empty_is_none)] = (
        Field(default=None, repr=False)
    )
    public_url: Annotated[Annotated[str, AfterValidator(_web_address)] | None, BeforeValidator(_empty_is_none)] = None
    accept_weaker_durability: Annotated[bool, BeforeValidator(_lower)] = False
    wait_for_replica: Annotated[bool, BeforeValidator(_lower)] = False
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = "info"
    heartbeat_s: Annotated[float, Field(ge=0.1, le=300, allow_inf_nan=False)] = 15
    allowed_origins: Annotated[
        tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_comma_separated)
    ] = ()
    tls_cert: Annotated[Annotated[Path, BeforeValidator(_file)] | None, BeforeValidator(_empty_is_none)] = None
    tls_key: Annotated[Annotated[Path, BeforeValidator(_file)] | None, BeforeValidator(_empty_is_none)] = None
    trusted_proxies: Annotated[
        tuple[Annotated[Network, BeforeValidator(_network)], ...], NoDecode, BeforeValidator(_comma_separated)
    ] = ()
    # No table of people comes near to any of these (server/limits.py, server/door.py).
    rate_connection: Most = 10
    rate_seat: Most = 15
    rate_table: Most = 100
    rate_address: Most = 100
    rate_log: Most = 2000
    rate_joins: Most = 10
    rate_joins_all: Most = 50
    connections: Most = 5000
    connections_address: Most = 500
    connections_seat: Most = 20
    connections_table: Most = 500
    connections_unknown: Most = 400

    def reached_at(self, port: int | None = None) -> str:
        """The address for invitations, without a slash at its end: `public_url`, else http(s)://host:port.

        `port` is the one that was really opened, for servers that let the system choose (port 0). A server that
        listens on every address of its machine is named by its own loopback address until public_url says better.
        """
        if self.public_url is not None:
            return self.public_url
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        scheme = "http" if self.tls_cert is None else "https"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port if port is None else port}"


def flag_of(name: str) -> str:
    """`data_dir` -> `--data-dir`."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """`data_dir` -> `OVERSEER_DATA_DIR`."""
    return PREFIX + name.upper()


WHERE = ("data_dir", "redis_url", "accept_weaker_durability", "wait_for_replica", "public_url")
"""The settings that say which tables a command works on, and what its invitations begin with."""

TABLES_ARE = "where the tables are (every setting of `overseer serve` is accepted too)"


def add_flags(parser: argparse.ArgumentParser, title: str, shown: Collection[str] = tuple(ACCEPTED)) -> None:
    """Gives `parser` one flag per setting, below `title`; none has a default, so `vars(arguments)` tells what was given.

    Those not in `shown` are taken as well, but --help does not list them. Values stay text: `load_settings` checks them
    together with the environment, so that all problems come at once.
    """
    group = parser.add_argument_group(title)
    for name, accepted in ACCEPTED.items():
        text = f"{accepted} {_usually(name)}[{variable_of(name)}]".replace("%", "%%")
        told = text if name in shown else argparse.SUPPRESS
        if Settings.model_fields[name].annotation is bool:
            group.add_argument(flag_of(name), action=argparse.BooleanOptionalAction, default=None, help=told)
        else:
            group.add_argument(flag_of(name), default=None, metavar=_placeholder(name), help=told)


def _usually(name: str) -> str:
    """What counts where nothing is said, for --help."""
    default = Settings.model_fields[name].default
    if default == DEFAULT_FOLDER:
        default = "~/.local/share/overseer, or overseer in $XDG_DATA_HOME"
    return f"(usually {default}) " if isinstance(default, str | int | float) and not isinstance(default, bool) else ""


def _placeholder(name: str) -> str:
    return "NUMBER" if Settings.model_fields[name].annotation in (int, float) else name.split("_")[-1].upper()


def load_settings(flags: Mapping[str, object]) -> Settings:
    """The settings from `flags` (by field name; None: not given), then OVERSEER_* variables, then defaults.

    Raises SettingsProblem with every problem. A variable that no setting has is only warned of, in the log.
    Raises TypeError for a flag that no setting has: that is a mistake in this program.
    """
    if unknown := [name for name in flags if name not in Settings.model_fields]:
        raise TypeError(f"no such setting: {', '.join(unknown)}")
    given = {name: value for name, value in flags.items() if value is not None}
    for line in stray_variables(os.environ):
        log.warning(line)
    try:
        settings = Settings(**given)  # type: ignore[arg-type]  # text is what the validators are for
    except ValidationError as problem:
        raise SettingsProblem(tuple(_lines(problem, given))) from None
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise SettingsProblem(("--tls-cert and --tls-key go together: a certificate and its key",))
    return settings


def stray_variables(environment: Mapping[str, str]) -> list[str]:
    """One sentence for each OVERSEER_* variable that is no setting, with the nearest one that is."""
    known = [variable_of(name) for name in Settings.model_fields]
    lines = []
    for variable in sorted(environment):
        if variable.upper().startswith(PREFIX) and variable.upper() not in known:
            nearest = difflib.get_close_matches(variable.upper(), known, n=1, cutoff=0.0)[0]
            lines.append(f"the environment variable {variable} is no setting and is ignored; the nearest is {nearest}")
    return lines


def _lines(problem: ValidationError, given: Mapping[str, object]) -> Iterator[str]:
    """One line per setting with a problem, in the order of ACCEPTED."""
    reasons: dict[str, str] = {}
    for error in problem.errors(include_url=False):
        cause = error.get("ctx", {}).get("error")
        reasons.setdefault(str(error["loc"][0]), str(cause) if isinstance(cause, _Reason) else "")
    variables = {variable.upper(): value for variable, value in os.environ.items()}
    for name in sorted(reasons, key=list(ACCEPTED).index):
        if name in given:
            found = f'found "{without_password(str(given[name]))}" on the command line'
        elif value := variables.get(variable_of(name)):
            found = f'found "{without_password(value)}" in {variable_of(name)}'
        else:
            found = "found no usable default"
        why = f" ({reasons[name]})" if reasons[name] else ""
        yield f"{flag_of(name)} ({variable_of(name)}): {found}{why}; accepted: {ACCEPTED[name]}"


def without_password(text: str) -> str:
    """Whatever stands before the last @ of an address may be a secret, however wrongly it was typed."""
    if "@" not in text:
        return text
    scheme, slashes, _ = text.rpartition("@")[0].partition("://")
    return f"{scheme + slashes if slashes else ''}...@{text.rpartition('@')[2]}"
