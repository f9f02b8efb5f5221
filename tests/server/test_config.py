"""Settings: what counts over what, and that every problem is told at once, in plain words."""

import argparse
import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.config import (
    ACCEPTED,
    WHERE,
    Settings,
    SettingsProblem,
    add_flags,
    flag_of,
    load_settings,
    stray_variables,
    variable_of,
)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No OVERSEER_* variable of whoever runs the tests, and a home of their own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(variable_of(name), raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def problems(**flags: object) -> list[str]:
    with pytest.raises(SettingsProblem) as caught:
        load_settings(flags)
    assert str(caught.value) == "\n".join(caught.value.lines)
    return list(caught.value.lines)


def test_nothing_given_means_this_machine_only_and_the_built_in_store(home: Path):
    settings = load_settings({})
    assert settings.host == "127.0.0.1"
    assert settings.port == 7777
    assert settings.data_dir == home / ".local/share/overseer"
    assert settings.redis_url is None
    assert settings.public_url is None
    assert settings.accept_weaker_durability is False
    assert settings.log_level == "info"
    assert settings.heartbeat_s == 15
    assert settings.allowed_origins == ()


def test_a_flag_counts_over_the_environment_and_the_environment_over_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OVERSEER_PORT", "8001")
    monkeypatch.setenv("OVERSEER_HOST", "0.0.0.0")
    settings = load_settings({"port": "8002", "host": None})
    assert settings.port == 8002
    assert settings.host == "0.0.0.0"


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch):
    for name in Settings.model_fields:
        monkeypatch.setenv(variable_of(name), "")
    assert load_settings({}) == Settings()
    assert load_settings({}).port == 7777


def test_an_empty_flag_turns_an_external_store_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OVERSEER_REDIS_URL", "redis://store.example:6379")
    assert load_settings({"redis_url": ""}).redis_url is None


def test_the_data_folder_follows_the_users_folder_for_data(monkeypatch: pytest.MonkeyPatch, home: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "shared"))
    assert load_settings({}).data_dir == home / "shared/overseer"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    assert load_settings({}).data_dir == home / ".local/share/overseer"
    assert load_settings({"data_dir": "~/games"}).data_dir == home / "games"
    assert load_settings({"data_dir": "games"}).data_dir == Path.cwd() / "games"


@pytest.mark.parametrize("name", ["no", "off", "0", "False"])
def test_no_is_said_in_many_ways(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OVERSEER_ACCEPT_WEAKER_DURABILITY", name)
    assert load_settings({}).accept_weaker_durability is False


@pytest.mark.parametrize(
    ("flags", "address"),
    [
        ({}, "http://127.0.0.1:7777"),
        ({"host": "table.local", "port": "80"}, "http://table.local:80"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:7777"),
        ({"host": "[::]"}, "http://[::1]:7777"),
        ({"host": "fd00::7"}, "http://[fd00::7]:7777"),
        ({"public_url": "https://table.example.org/"}, "https://table.example.org"),
        ({"public_url": "https://example.org/table"}, "https://example.org/table"),
    ],
)
def test_the_address_in_invitations(flags: dict[str, object], address: str):
    assert load_settings(flags).reached_at() == address


def test_the_address_in_invitations_names_the_port_that_was_really_opened():
    settings = load_settings({"port": 0})
    assert settings.reached_at(40123) == "http://127.0.0.1:40123"


def test_origins_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OVERSEER_ALLOWED_ORIGINS", "https://vtt.example, HTTP://Localhost:30000/ ,")
    assert load_settings({}).allowed_origins == ("https://vtt.example", "http://localhost:30000")
    assert load_settings({"allowed_origins": "*"}).allowed_origins == ("*",)


def test_all_problems_are_told_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OVERSEER_PORT", "eighty")
    monkeypatch.setenv("OVERSEER_REDIS_URL", "http://store.example")
    assert problems(log_level="loud", heartbeat_s="0") == [
        '--port (OVERSEER_PORT): found "eighty" in OVERSEER_PORT; '
        "accepted: a whole number from 0 to 65535 (0: any free port)",
        '--redis-url (OVERSEER_REDIS_URL): found "http://store.example" in OVERSEER_REDIS_URL; '
        "accepted: redis://[user:password@]host:6379/0, rediss://..., unix:///path, redis+sentinel://host:26379,.../NAME "
        "or redis+cluster://host:6379,...; nothing: the built-in store",
        '--log-level (OVERSEER_LOG_LEVEL): found "loud" on the command line; accepted: debug, info, warning or error',
        '--heartbeat-s (OVERSEER_HEARTBEAT_S): found "0" on the command line; '
        "accepted: seconds between two signs of life, from 0.1 to 300",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", ""),
        ("host", "http://example.org"),
        ("host", "example.org:80"),
        ("host", "two words"),
        ("port", "65536"),
        ("port", "-1"),
        ("port", "70.5"),
        ("redis_url", "store:6379"),
        ("redis_url", "redis://"),
        ("redis_url", "redis://host:port"),
        ("redis_url", "unix://relative.sock"),
        ("redis_url", "redis+sentinel://host:26379"),
        ("redis_url", "redis+sentinel://host:26379/name/3"),
        ("redis_url", "redis+sentinel:///name"),
        ("redis_url", "redis+cluster://host,other:port"),
        ("redis_url", "redis+cluster://host/3"),
        ("redis_url", "redis+ring://host"),
        ("wait_for_replica", "perhaps"),
        ("public_url", "table.example.org"),
        ("public_url", "ws://table.example.org"),
        ("public_url", "https://table.example.org/#seat"),
        ("accept_weaker_durability", "perhaps"),
        ("log_level", ""),
        ("heartbeat_s", "nan"),
        ("heartbeat_s", "301"),
        ("heartbeat_s", "a minute"),
        ("allowed_origins", "https://a.example,b.example"),
        ("allowed_origins", "https://a.example/path"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(name: str, value: str):
    (line,) = problems(**{name: value})
    assert (
        line
        == f'{flag_of(name)} ({variable_of(name)}): found "{value}" on the command line; accepted: ' + (ACCEPTED[name])
    )


def test_a_data_folder_below_a_file_is_refused(home: Path):
    (home / "notes.txt").write_text("mine")
    (line,) = problems(data_dir=str(home / "notes.txt/overseer"))
    assert f"({home}/notes.txt is a file)" in line


def test_an_empty_folder_is_not_the_one_somebody_is_in():
    assert problems(data_dir="") == [
        f'--data-dir (OVERSEER_DATA_DIR): found "" on the command line (no folder); accepted: {ACCEPTED["data_dir"]}'
    ]


def test_without_a_home_the_data_folder_must_be_named(monkeypatch: pytest.MonkeyPatch):
    def homeless(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    assert problems() == [
        "--data-dir (OVERSEER_DATA_DIR): found no usable default (this user has no home folder); "
        f"accepted: {ACCEPTED['data_dir']}"
    ]


def test_no_password_is_ever_told(monkeypatch: pytest.MonkeyPatch):
    secret = "s3cr3t"
    for wrong in (f"redis://:{secret}@store:port", f"redis//:{secret}@store", f"http://me:{secret}@x@store"):
        (line,) = problems(redis_url=wrong)
        assert secret not in line
        assert "store" in line
        monkeypatch.setenv("OVERSEER_REDIS_URL", wrong)
        assert secret not in str(problems())
    assert secret not in repr(load_settings({"redis_url": f"redis://:{secret}@store"}))


def test_a_variable_that_is_no_setting_is_named_with_the_nearest_that_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    for variable in [one for one in os.environ if one.startswith("OVERSEER_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("OVERSEER_REDIS", "redis://store")
    load_settings({})
    assert caplog.messages == [
        "the environment variable OVERSEER_REDIS is no setting and is ignored; the nearest is OVERSEER_REDIS_URL"
    ]


def test_only_our_variables_are_looked_at():
    assert stray_variables({"PATH": "/bin", "OVERSEER_PORT": "1", "overseer_port": "1"}) == []


def test_a_flag_that_no_setting_has_is_a_mistake_of_the_program():
    with pytest.raises(TypeError, match="no such setting: prot"):
        load_settings({"prot": 1})


def test_settings_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        load_settings({}).port = 1  # type: ignore[misc]


def test_every_setting_has_a_flag_and_says_what_it_accepts():
    assert list(ACCEPTED) == list(Settings.model_fields)
    parser = argparse.ArgumentParser()
    add_flags(parser, "settings")
    assert vars(parser.parse_args([])) == dict.fromkeys(Settings.model_fields)
    given = parser.parse_args(["--port", "1", "--accept-weaker-durability", "--data-dir=x"])
    settings = load_settings(vars(given))
    assert settings.port == 1
    assert settings.accept_weaker_durability is True
    for name, accepted in ACCEPTED.items():
        assert flag_of(name) in parser.format_help()
        assert accepted[:20] in " ".join(parser.format_help().split())
    assert "(usually 7777)" in parser.format_help()


def test_what_a_command_does_not_list_it_accepts_all_the_same():
    parser = argparse.ArgumentParser()
    add_flags(parser, "settings", WHERE)
    assert "--port" not in parser.format_help()
    assert load_settings(vars(parser.parse_args(["--port", "1"]))).port == 1


def test_a_certificate_needs_its_key(tmp_path: Path):
    (tmp_path / "cert.pem").write_text("")
    with pytest.raises(SettingsProblem, match="--tls-cert and --tls-key go together"):
        load_settings({"tls_cert": str(tmp_path / "cert.pem")})
    with pytest.raises(SettingsProblem, match=r"--tls-key .*missing\.pem cannot be read"):
        load_settings({"tls_cert": str(tmp_path / "cert.pem"), "tls_key": str(tmp_path / "missing.pem")})
    both = load_settings({"tls_cert": str(tmp_path / "cert.pem"), "tls_key": str(tmp_path / "cert.pem")})
    assert both.reached_at(7777) == "https://127.0.0.1:7777"


def test_proxies_are_addresses_or_networks():
    found = load_settings({"trusted_proxies": "10.0.0.2, fd00::/8"}).trusted_proxies
    assert [str(one) for one in found] == ["10.0.0.2/32", "fd00::/8"]
    with pytest.raises(SettingsProblem, match=r"--trusted-proxies .*accepted: addresses of reverse proxies"):
        load_settings({"trusted_proxies": "10.0.0.1/8"})  # some hosts of a network, or all of it: nobody can tell
