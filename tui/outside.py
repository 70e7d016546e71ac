"""The reader's own editor, on a note."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


def edit_outside(app: App[Any], text: str) -> tuple[str, str]:
    """Let the reader edit text in $VISUAL or $EDITOR, which gets the whole terminal.

    Returns:
        The new text, and why there is none, or an empty string. A failure changes nothing.
    """
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not words:
        return text, "Neither $VISUAL nor $EDITOR is set; the key for the note here is e."
    with tempfile.TemporaryDirectory(prefix="anchorlight-") as folder:
        path = Path(folder) / "note.md"
        try:
            path.write_text(text, "utf-8")
            with app.suspend():
                code = subprocess.run([*words, str(path)], check=False).returncode  # noqa: S603
            if code:
                return text, f"{words[0]} ended with code {code}: the note is as it was."
            return path.read_text("utf-8", "replace").rstrip("\n"), ""
        except SuspendNotSupported:
            return text, "This terminal cannot be lent to an editor; the key for the note is e."
        except OSError as error:
            return text, f"{words[0]} cannot be run: {error.strerror}."
