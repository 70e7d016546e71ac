"""Settings: whatever the file holds, a sentence tells the mistake and the program goes on."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anchorlight.tui.app
import pytest
from anchorlight.store import Library
from anchorlight.tui import start
from anchorlight.tui.config import Config, Settings, load_config
from hypothesis import given
from hypothesis import strategies as st

from .hostile import FORBIDDEN, few


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The config file, not there yet."""
    path = tmp_path / "folder" / "config.toml"
    path.parent.mkdir()
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(path))
    return path


def load(path: Path, content: str | bytes, library: str | None = None) -> Config:
    """Load a config file, which stays as it is."""
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data)
    config = load_config(library)
    assert path.read_bytes() == data
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    return config


def sentence(problem: str) -> str:
    """Check that a problem is told in one printable sentence."""
    assert problem.endswith(".")
    assert not FORBIDDEN.search(problem), repr(problem)
    return problem


# Nothing wrong


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment", b"\xef\xbb\xbf", "[keys]"])
def test_an_empty_file_is_valid(path: Path, content: str) -> None:
    config = load(path, content)
    assert (config.settings, config.problems) == (Settings(), ())


def test_a_file_or_folder_that_is_not_there_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_config().problems == ()
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "no" / "such.toml", tmp_path / "file" / "under-a-file.toml"):
        monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(place))
        config = load_config()
        assert (config.settings, config.problems) == (Settings(), ())
    assert not (tmp_path / "no").exists()


def test_the_default_place_is_the_readers_config_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anchorlight").mkdir()
    (tmp_path / "anchorlight/config.toml").write_text("seeds = false")
    assert load_config().settings.seeds is False


def test_settings_are_read(path: Path) -> None:
    config = load(
        path,
        'library = "/somewhere"\ntheme = "nord"\nseeds = false\nlocks = false\n'
        '[keys]\nstar = ["z", "ctrl+s"]\nskip = "X"\n',
    )
    assert config.problems == ()
    assert config.settings == Settings(
        Path("/somewhere"), "nord", False, False, {"star": ("z", "ctrl+s"), "skip": ("X",)}
    )
    assert set(config.origins.values()) == {str(path)}


def test_windows_line_ends_and_a_mark_at_the_beginning(path: Path) -> None:
    config = load(path, b'\xef\xbb\xbftheme = "nord"\r\nseeds = false\r\n')
    assert (config.settings.theme, config.settings.seeds) == ("nord", False)


def test_a_tilde_is_the_home(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load(path, 'library = "~/lib"').settings.library == tmp_path / "lib"
    assert load(path, "", "~/other").settings.library == tmp_path / "other"
    monkeypatch.setenv("ANCHORLIGHT_LIBRARY", "~/third")
    assert load_config().settings.library == tmp_path / "third"
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", "~/mine.toml")
    assert load_config().path == tmp_path / "mine.toml"


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text('library = "/from-file"')
    assert load_config().settings.library == Path("/from-file")
    monkeypatch.setenv("ANCHORLIGHT_LIBRARY", "/from-environment")
    assert load_config().settings.library == Path("/from-environment")
    config = load_config("/from-option")
    assert config.settings.library == Path("/from-option")
    assert config.origins["library"] == "--library"


# Mistakes


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("a = [", 1, ""),
        ("\n\ntheme = \n", 3, ""),
        ('theme = "x"\ntheme = "y"\n', 2, ""),
        ('theme = "open\nseeds = true\n', 1, ""),
        ("# \n# \n= 3\n", 3, ""),
        (b"theme = \x00\x00\n", 1, ""),
        (b"\x00", 1, ""),
        (b"\x00\x01\x02\n" * 40, 1, ""),
        (b'# fine\ntheme = "caf\xe9"\n', 2, "UTF-8"),
        ('theme = "nord"\n'.encode("utf-16"), 1, "UTF-8"),
        ("theme = 3\n", 1, "theme"),
        ('\n# theme\n\nseeds = "false"\n', 4, "true or false"),
        ("seeds = 0\n", 1, "seeds"),
        ("library = true\n", 1, "folder"),
        ('library = ""\n', 1, "folder"),
        ('library = "a\\u0000b"\n', 1, "folder"),
        ('theme = ["nord"]\n', 1, "theme"),
        ("keys = 3\n", 1, "table"),
        ('thme = "x"\n', 1, "“theme”"),
        ('seeds = true\nlibary = "x"\n', 2, "“library”"),
        ("zzz = 1\n", 1, "zzz"),
        ('[other]\ntheme = "x"\n', 1, "other"),
        ("[keys]\nstar = 3\n", 2, "star"),
        ("[keys]\nskip = ['X']\nstar = ['z', 3]\n", 3, "star"),
        ('"\\u001b[31m" = 1\n', 1, ""),
        ('"a\\nb" = 1\n', 1, ""),
        ("a = " + "[" * 5000, 1, ""),
        ("a = " + "9" * 5000, 1, ""),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_default_stands(
    path: Path, content: str | bytes, line: int, words: str
) -> None:
    config = load(path, content)
    assert len(config.problems) == 1
    told = sentence(config.problems[0])
    assert told.startswith(f"{path}, line {line}:"), told
    assert words in told
    settings = config.settings
    assert (settings.theme, settings.seeds, settings.library) == (
        "", True, Settings().library,
    )  # fmt: skip


def test_a_mistake_costs_that_setting_alone(path: Path) -> None:
    config = load(path, 'theme = 3\nseeds = false\nnope = 1\n[keys]\nstar = 3\nskip = ["X"]\n')
    assert len(config.problems) == 3
    assert config.settings.seeds is False
    assert config.settings.keys == {"skip": ("X",)}
    assert config.origins["theme"] == "default"


def test_a_file_that_cannot_be_read_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_read(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path.write_text("seeds = false")
    monkeypatch.setattr(Path, "read_bytes", no_read)
    config = load_config()
    assert config.settings == Settings()
    (told,) = config.problems
    assert str(path) in told
    assert "Permission denied" in told


def test_places_that_are_no_file_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for place in (tmp_path, loop, tmp_path / ("x" * 300), "~nobody-of-this-name/c.toml"):
        monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(place))
        config = load_config()
        assert config.settings == Settings()
        assert all(str(place) in sentence(problem) for problem in config.problems)


@pytest.mark.parametrize("value", ["~nobody-of-this-name", "~nobody-of-this-name/lib"])
def test_a_home_of_nobody_is_told(path: Path, value: str) -> None:
    config = load(path, f'seeds = false\nlibrary = "{value}"\n')
    (told,) = config.problems
    assert sentence(told).startswith(f"{path}, line 2:")
    assert config.settings.library == Settings().library
    assert config.settings.seeds is False


@few
@given(st.binary(max_size=60) | st.text('abc="[]\n\\{}.#\x1b\u202e', max_size=40).map(str.encode))
def test_no_file_raises(content: bytes) -> None:
    """Any bytes at all load, and what is wrong is told in printable sentences."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "exists", lambda _: True)
        patch.setattr(Path, "read_bytes", lambda _: content)
        patch.setenv("ANCHORLIGHT_CONFIG", "/some/config.toml")
        for problem in load_config().problems:
            assert sentence(problem).startswith("/some/config.toml")


# Keys, on the way into the program


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Start the program up to its first picture and return what it would tell."""

    class Stub:
        return_code = 0
        given: dict[str, Any]

        def __init__(self, gateway: Any, opening: Any, keys: Any, **options: Any) -> None:
            Stub.given = {"keys": keys, **options}
            self._gateway = gateway

        def run(self) -> None:
            asyncio.run(self._gateway.close())

    monkeypatch.setattr(anchorlight.tui.app, "Anchorlight", Stub)

    def run() -> dict[str, Any]:
        config = load_config(str(tmp_path / "library"))
        assert start.run(config, lambda: Library(tmp_path / "library", tmp_path / "cache")) == 0
        return Stub.given

    yield run
    gc.enable()  # the program itself does, once its first picture is painted


@pytest.mark.parametrize(
    ("keys", "line", "words"),
    [
        ('sttar = ["z"]', 2, ("sttar", "“star”")),
        ('skip = ["X"]\nnothing-like-it = ["z"]', 3, ("nothing-like-it",)),
        ('star = ["hyper+z"]', 2, ("hyper+z", "star")),
        ('star = ["zz"]', 2, ("zz", "star")),
        ('star = [""]', 2, ("star",)),
        ('star = ["z"]\nskip = ["z"]', "[23]", ("“z”", "star", "skip")),
    ],
)
def test_a_mistake_in_the_keys_is_told_with_its_line(
    path: Path, told: Any, keys: str, line: int | str, words: tuple[str, ...]
) -> None:
    path.write_text(f"[keys]\n{keys}\n")
    (problem,) = told()["problems"]
    sentence(problem)
    assert all(word in problem for word in words)
    assert str(path) in problem
    assert re.search(rf"\bline {line}\b", problem), problem


def test_the_program_is_told_of_every_mistake_and_gets_the_rest(path: Path, told: Any) -> None:
    path.write_text('theme = "nord"\nseeds = 1\n[keys]\nstar = ["z"]\nnope = ["y"]\n')
    given = told()
    assert given["theme"] == "nord"
    assert given["keys"]["star"] == ("z",)
    assert len(given["problems"]) == 2
