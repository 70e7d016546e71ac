"""What all tests share: a home of their own, and the data that lies beside a checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of whoever runs it, nor leaves anything in their home."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    for name in ("ANCHORLIGHT_LIBRARY", "ANCHORLIGHT_CONFIG", "NO_COLOR", "EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared test data; tests that read it are skipped where it is absent."""
    named = os.environ.get("ANCHORLIGHT_SHARED")
    folder = Path(named) if named else _ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared test data does not lie beside this checkout")
    return folder
