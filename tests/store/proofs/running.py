"""The tests' end of `programs.py`: starts programs, hears what they say, kills them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .layer import SOAK

Message = dict[str, Any]

PATIENCE = 60.0 * SOAK
"""Seconds after which something is wrong."""


class Programs:
    """A process that starts programs."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("programs.py")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", str(script)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin
        assert self._process.stdout
        self._orders, self._output = self._process.stdin, self._process.stdout
        self._rest = b""
        self._heard: deque[Message] = deque()

    def __enter__(self) -> Self:
        self.next("ready")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with closing(self._output):
            self._orders.close()  # which ends what still runs there
            while select.select([self._output], [], [], PATIENCE)[0]:
                if not os.read(self._output.fileno(), 1 << 16):
                    break
            self._process.wait(PATIENCE)

    def start(self, program: str, **more: Any) -> None:
        """Start a program; its number comes with what it says."""
        os.write(self._orders.fileno(), json.dumps({"program": program, **more}).encode() + b"\n")

    def hear(self, seconds: float) -> Message | None:
        """Return what is said next, or None where nothing is within a time."""
        deadline = time.monotonic() + seconds
        while not self._heard:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._output], [], [], left)[0]:
                return None
            data = os.read(self._output.fileno(), 1 << 16)
            assert data, "the process is gone"
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._heard.extend(map(json.loads, lines))
        message = self._heard.popleft()
        assert message["kind"] != "failed", message["error"]
        return message

    def next(self, *kinds: str) -> Message:
        """Return the next message of one of some kinds; none of another must come before."""
        message = self.hear(PATIENCE)
        assert message, "nothing was heard for a long time"
        assert message["kind"] in kinds, message
        return message

    def kill(self, pid: int) -> list[Message]:
        """Kill a program as nothing can prevent, and return what else it had done."""
        os.kill(pid, signal.SIGKILL)
        heard = []
        while (message := self.next("open", "done", "ended"))["kind"] != "ended":
            heard += [message] if message["kind"] == "done" else []
        assert message["program"] == pid
        assert os.WIFSIGNALED(message["status"])
        return heard
