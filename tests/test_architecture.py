"""The structure that the design promises, held to by looking at it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("seeds", "store", "tui")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    """Return a module's path below the checkout, as its name once installed."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("anchorlight", *(part for part in parts if part != "__init__")))


def imports_of(path: Path) -> Iterator[str]:
    """Yield the full names of what a module imports anywhere in it, also for types alone."""
    package = name_of(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def below(name: str, *packages: str) -> bool:
    """Tell whether a module is, or lies in, one of these packages."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


each_module = pytest.mark.parametrize("path", MODULES, ids=name_of)


@each_module
def test_imports_go_one_way(path: Path) -> None:
    allowed = {
        "seeds": ("seeds",),
        "store": ("store", "seeds"),
        "tui": ("tui", "store", "seeds"),
    }[path.relative_to(ROOT).parts[0]]
    forbidden = [f"anchorlight.{package}" for package in PACKAGES if package not in allowed]
    assert not [name for name in imports_of(path) if below(name, *forbidden)]


@each_module
def test_no_module_goes_by_the_name_of_its_folder(path: Path) -> None:
    """Once installed there is no `store`, `tui` or `seeds`, but there may be somebody else's."""
    assert not [name for name in imports_of(path) if below(name, *PACKAGES)]


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.name)
def test_tests_use_the_installed_names(path: Path) -> None:
    absolute = [name for name in imports_of(path) if not name.startswith("anchorlight.tests")]
    assert not [name for name in absolute if below(name, *PACKAGES)]


@each_module
def test_third_parties_stay_in_their_place(path: Path) -> None:
    where = path.relative_to(ROOT).as_posix()
    imports = list(imports_of(path))

    def uses(*packages: str) -> bool:
        return any(below(name, *packages) for name in imports)

    assert not uses("whoosh") or where.startswith("store/index/")
    assert not uses("tinydb") or where in ("store/journal.py", "store/marks.py")
    if not where.startswith("tui/"):
        assert not uses("textual", "rich")
        assert not uses("asyncio", "argparse")


@each_module
def test_only_the_command_line_prints(path: Path) -> None:
    if path.relative_to(ROOT).as_posix() in ("tui/cli.py", "tui/printing.py"):
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "input"), f"line {node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) not in (("sys", "stdout"), ("sys", "stderr"))


@each_module
def test_every_import_of_a_third_party_is_a_dependency(path: Path) -> None:
    distribution = {
        "platformdirs", "pystemmer", "rapidfuzz", "rich", "textual", "tinydb", "whoosh",
    }  # fmt: skip
    declared = {
        name.lower().removesuffix("-reloaded")
        for name in _names(PROJECT["project"]["dependencies"])
    } | {"rich"}  # Textual's own, whose types it hands out
    assert declared == distribution
    roots = {name.split(".")[0] for name in imports_of(path)}
    roots = {{"Stemmer": "pystemmer"}.get(root, root) for root in roots}
    assert roots - set(sys.stdlib_module_names) - {"anchorlight"} <= distribution


def _names(requirements: list[str]) -> Iterator[str]:
    for requirement in requirements:
        name = requirement
        for sign in "<>=!~;[ ":
            name = name.split(sign)[0]
        yield name


def loaded_after(code: str, *arguments: str) -> set[str]:
    """Return the modules that are loaded after running code in a process of its own."""
    code += "\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::SyntaxWarning", "-c", code, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (printed,) = ran.stdout.splitlines()
    return set(json.loads(printed))


def test_the_store_knows_no_user_interface() -> None:
    names = [name_of(path) for path in MODULES if path.is_relative_to(ROOT / "store")]
    loaded = loaded_after("\n".join(f"import {name}" for name in names))
    assert "anchorlight.store.index" in loaded
    assert not [name for name in loaded if below(name, "textual", "rich", "anchorlight.tui")]


def test_importing_the_store_prints_nothing_and_is_quick() -> None:
    loaded = loaded_after("import anchorlight.store")
    assert not [name for name in loaded if below(name, "whoosh", "rapidfuzz", "Stemmer")]


OPENING = """
import sys
from pathlib import Path
import anchorlight.tui.cli, anchorlight.tui.config, anchorlight.tui.start, anchorlight.tui.app
import anchorlight.store
from anchorlight.tui.commands import all_commands
from anchorlight.tui.keymap import keys_of
from anchorlight.tui.view import Opening
from anchorlight.tui.gateway import Gateway
anchorlight.tui.config.load_config()
keys_of(all_commands(), {})
folder = Path(sys.argv[1])
library = anchorlight.store.Library(folder / "library", folder / "cache")
Opening.of(library)
"""


def test_opening_the_program_imports_nothing_that_the_first_picture_does_not_need(
    tmp_path: Path,
) -> None:
    from anchorlight.seeds import FOLDER
    from anchorlight.store import Change, Library

    library = Library(tmp_path / "library", tmp_path / "cache", seeds=FOLDER)
    key = library.listing("all")[0].paper.key
    library.mark({key: Change(starred=True, add_tags=("tag",))})
    library.write_note(key, "a note")
    library.write_session({"list": "starred", "paper": key})
    library.close()
    loaded = loaded_after(OPENING, str(tmp_path))
    assert "textual.app" in loaded
    unneeded = (
        "whoosh", "Stemmer", "rapidfuzz", "pylatexenc", "argparse", "httpx", "tomllib",
        "anchorlight.tui.arguments", "anchorlight.tui.output", "anchorlight.tui.dialogs",
        "anchorlight.store.parser", "anchorlight.store.query",
        "anchorlight.store.search", "anchorlight.store.index",
        "anchorlight.store.match", "anchorlight.store.identity", "anchorlight.store.known",
        "anchorlight.store.importing",
        "anchorlight.store.formats", "anchorlight.store.latex",
    )  # fmt: skip
    assert not sorted(name for name in loaded if below(name, *unneeded))


def test_asking_for_the_version_imports_next_to_nothing() -> None:
    code = "from anchorlight.tui.cli import main; assert main(['--version']) == 0"
    loaded = loaded_after(
        f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n {code}"
    )
    assert not [name for name in loaded if below(name, "textual", "rich", "argparse", "tinydb")]
    assert not [name for name in loaded if below(name, "anchorlight.store")]


def test_next_to_nothing_is_imported_before_the_last_screen_is_painted() -> None:
    code = (
        "import sys; package = type(sys)('anchorlight'); package.__path__ = [sys.argv[1]]\n"
        "sys.modules['anchorlight'] = package; import anchorlight.tui.cli\n"
        "print(*sys.modules)"
    )
    # Without `site`, which may have imported anything for an installation to be edited.
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    plain = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import os, sys; print(*sys.modules)"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert set(ran.stdout.split()) - set(plain.stdout.split()) == {
        "__future__", "anchorlight", "anchorlight.tui", "anchorlight.tui.cli",
        "anchorlight.tui.last_screen", "anchorlight.tui.version",
    }  # fmt: skip


# Packaging


def test_the_packages_named_are_those_on_disk() -> None:
    on_disk = {name_of(path.parent / "__init__.py") for path in MODULES}
    named = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(on_disk) == named  # also in order, without anything twice
    assert all((ROOT / "/".join(name.split(".")[1:]) / "__init__.py").exists() for name in named)
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {
        f"anchorlight.{package}": package for package in PACKAGES
    }


def test_the_version_is_one() -> None:
    from anchorlight.tui.version import VERSION

    assert PROJECT["project"]["version"] == VERSION


def test_all_data_is_packaged() -> None:
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                name = name_of(path.parent / "__init__.py")
                assert any(path.match(pattern) for pattern in data.get(name, [])), path
    assert (ROOT / "store/py.typed").exists()
    assert (ROOT / "tui/py.typed").exists()
    assert list((ROOT / "tui").glob("*.tcss"))


def test_the_command_that_is_installed_is_there() -> None:
    from importlib import import_module

    module, _, function = PROJECT["project"]["scripts"]["anchorlight"].partition(":")
    assert callable(getattr(import_module(module), function))
