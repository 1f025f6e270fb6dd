"""Settings: what `.env.example` promises, and what a wrong value says."""

from itertools import pairwise
from pathlib import Path

import pytest

from adapters.settings import (
    PERSONAS,
    BotToken,
    LogLevel,
    ModelName,
    Settings,
    notices,
    read_account,
    read_settings,
)
from bot.errors import SettingsError
from bot.house.figures import Price
from bot.house.plan import Plan
from bot.world import AccountKey

EXAMPLE = Path(__file__).resolve().parent.parent / ".env.example"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for field in Settings.model_fields:
        monkeypatch.delenv(field.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def example() -> dict[str, str]:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def wrong(env_file: Path, text: str) -> str:
    env_file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_settings(env_file)
    return str(caught.value)


class TestTheExample:
    def test_names_every_setting_and_no_other(self) -> None:
        assert set(example()) == {field.upper() for field in Settings.model_fields}

    def test_explains_every_setting(self) -> None:
        lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
        for before, line in pairwise(lines):
            if line and not line.startswith("#"):
                assert before.startswith("#") or "=" in before, f"{line} has no comment"

    def test_read_as_a_file_gives_the_defaults(self) -> None:
        assert read_settings(EXAMPLE) == Settings()

    def test_shows_each_default_that_is_a_value(self) -> None:
        for name, value in example().items():
            default = Settings.model_fields[name.lower()].default
            if default in (None, (), frozenset(), PERSONAS):
                assert value == "", name
            else:
                assert value == str(default), name


def test_feelings_are_not_asked_of_the_bundled_model(env_file: Path) -> None:
    assert "EMOTION_SCORER=local" in wrong(env_file, "EMOTION_SCORER=model")


class TestReading:
    def test_without_a_file_the_defaults_hold(self, env_file: Path) -> None:
        settings = read_settings(env_file)
        assert settings.database == Path("data/bower.db")
        assert settings.uses_bundled_model

    def test_the_environment_goes_before_the_file(
        self, env_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        env_file.write_text("PERSONA=ana\nREPLY_TOKENS=99\n", encoding="utf-8")
        monkeypatch.setenv("PERSONA", "otto")
        settings = read_settings(env_file)
        assert (settings.persona, settings.reply_tokens) == ("otto", 99)

    def test_an_empty_value_is_no_value(
        self, env_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REPLY_TOKENS", "")
        env_file.write_text("OWNERS=\nLOG_LEVEL=\nMODEL=\n", encoding="utf-8")
        assert read_settings(env_file) == Settings()

    def test_a_file_saved_with_a_byte_order_mark_and_windows_lines(self, env_file: Path) -> None:
        env_file.write_bytes(b"\xef\xbb\xbfPERSONA=ana\r\nREPLY_TOKENS=50\r\n")
        settings = read_settings(env_file)
        assert (settings.persona, settings.reply_tokens) == ("ana", 50)

    def test_owners_are_accounts(self, env_file: Path) -> None:
        env_file.write_text("OWNERS=discord:1, Telegram:2\n", encoding="utf-8")
        assert read_settings(env_file).owners == {
            AccountKey(platform="discord", user="1"),
            AccountKey(platform="telegram", user="2"),
        }

    def test_fallbacks_may_be_elsewhere_or_bundled(self, env_file: Path) -> None:
        env_file.write_text(
            "MODEL=a\nOPENAI_API_KEY=k\nMODEL_FALLBACKS=b, @cf/c, d@http://localhost:1/v1,bundled\n",
            encoding="utf-8",
        )
        assert read_settings(env_file).model_fallbacks == (
            ModelName(name="b"),
            ModelName(name="@cf/c"),
            ModelName(name="d", base_url="http://localhost:1/v1"),
            ModelName(name="bundled"),
        )

    def test_several_bots_each_with_a_persona(self, env_file: Path) -> None:
        env_file.write_text("TELEGRAM_TOKEN=ana=1:AA,2:BB\n", encoding="utf-8")
        first, second = read_settings(env_file).telegram_token
        assert (first.persona, first.token.get_secret_value()) == ("ana", "1:AA")
        assert (second.persona, second.token.get_secret_value()) == (None, "2:BB")

    def test_budget_prices_and_purge_days_are_the_plan_of_the_house(self, env_file: Path) -> None:
        env_file.write_text(
            "BUDGET_TOKENS=5000\nPRICES=gpt-x=0.15/0.60, b=1/2\nPURGE_DAYS=7\n"
            "TIME_ZONE=Asia/Tokyo\n",
            encoding="utf-8",
        )
        assert read_settings(env_file).plan == Plan(
            time_zone="Asia/Tokyo",
            budget_tokens=5000,
            prices={
                "gpt-x": Price(prompt=0.15, completion=0.60),
                "b": Price(prompt=1.0, completion=2.0),
            },
            purge_days=7,
        )

    def test_a_log_level_in_small_letters(self, env_file: Path) -> None:
        env_file.write_text("LOG_LEVEL=debug\n", encoding="utf-8")
        assert read_settings(env_file).log_level is LogLevel.DEBUG


class TestWrongValues:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("REPLY_TOKENS=many", "REPLY_TOKENS"),
            ("REPLY_TOKENS=1", "REPLY_TOKENS"),
            ("BURST_SECONDS=-1", "BURST_SECONDS"),
            ("BURST_SECONDS=nan", "BURST_SECONDS"),
            ("CONTEXT_TOKENS=12", "CONTEXT_TOKENS"),
            ("TIME_ZONE=Mars/Base", "TIME_ZONE"),
            ("TIME_ZONE=../etc/passwd", "TIME_ZONE"),
            ("LOG_LEVEL=LOUD", "LOG_LEVEL"),
            ("OWNERS=ana", "OWNERS"),
            ("MODEL_SYSTEM_ROLE=boss", "MODEL_SYSTEM_ROLE"),
            ("BUDGET_TOKENS=-1", "BUDGET_TOKENS"),
            ("PRICES=gpt-x", "PRICES"),
            ("PURGE_DAYS=soon", "PURGE_DAYS"),
            ("HEALTH_PORT=99999", "HEALTH_PORT"),
            ("TELEGRAM_TOKEN=ana=", "TELEGRAM_TOKEN"),
            ("TELEGRAM_API_URL=localhost", "TELEGRAM_API_URL"),
            ("TELEGRAM_WEBHOOK_URL=http://bower.example", "TELEGRAM_WEBHOOK_URL"),
            ("TELEGRAM_WEBHOOK_LISTEN=8443", "TELEGRAM_WEBHOOK_LISTEN"),
            ("TELEGRAM_WEBHOOK_LISTEN=localhost:99999", "TELEGRAM_WEBHOOK_LISTEN"),
            ("MODEL=m\nOPENAI_BASE_URL=localhost:1", "OPENAI_BASE_URL"),
        ],
    )
    def test_are_one_line_that_names_the_variable(
        self, env_file: Path, text: str, name: str
    ) -> None:
        said = wrong(env_file, text)
        assert said.startswith(f"{name} cannot be used: ")
        assert "\n" not in said

    def test_a_model_without_an_endpoint_says_what_is_missing(self, env_file: Path) -> None:
        assert "neither OPENAI_BASE_URL nor OPENAI_API_KEY" in wrong(env_file, "MODEL=m")

    def test_an_endpoint_without_a_model_says_what_is_missing(self, env_file: Path) -> None:
        assert "MODEL is not" in wrong(env_file, "OPENAI_BASE_URL=http://localhost/v1")

    def test_a_small_model_alone_says_what_is_missing(self, env_file: Path) -> None:
        assert "set MODEL as well" in wrong(env_file, "SMALL_MODEL=s")

    def test_a_file_in_another_encoding(self, env_file: Path) -> None:
        env_file.write_bytes("PERSONA=ana\n".encode("utf-16"))
        with pytest.raises(SettingsError, match="not UTF-8"):
            read_settings(env_file)

    def test_a_folder_of_that_name(self, env_file: Path) -> None:
        env_file.mkdir()
        with pytest.raises(SettingsError, match="is a folder"):
            read_settings(env_file)

    def test_a_line_that_is_no_assignment_is_named_by_number_only(self, env_file: Path) -> None:
        said = wrong(env_file, 'PERSONA=ana\n"sk-secret": x\n')
        assert "line 2" in said
        assert "sk-secret" not in said


class TestNotices:
    def test_a_key_without_a_model_is_said(self, env_file: Path) -> None:
        env_file.write_text("OPENAI_API_KEY=sk-secret\n", encoding="utf-8")
        [said] = notices(read_settings(env_file), env_file)
        assert "MODEL is not" in said
        assert "sk-secret" not in said

    def test_a_misspelt_name_is_said(self, env_file: Path) -> None:
        env_file.write_text("OPENAI_BASEURL=x\nTORCH_INDEX=cpu\nEDITOR=vi\n", encoding="utf-8")
        assert notices(read_settings(env_file), env_file) == [
            "OPENAI_BASEURL in .env is no setting; did you mean OPENAI_BASE_URL?"
        ]


def test_secrets_are_never_shown(env_file: Path) -> None:
    env_file.write_text(
        "OPENAI_API_KEY=sk-secret\nDISCORD_TOKEN=ana=sk-secret\nMODEL=m\n", encoding="utf-8"
    )
    settings = read_settings(env_file)
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert isinstance(settings.discord_token[0], BotToken)


def test_a_wrong_secret_is_not_repeated(env_file: Path) -> None:
    assert "sk-secret" not in wrong(env_file, "DISCORD_TOKEN==sk-secret")


def test_an_account_needs_platform_and_id() -> None:
    assert read_account(" Discord : 12 ") == AccountKey(platform="discord", user="12")
    with pytest.raises(ValueError, match="platform:id"):
        read_account("discord:")
