"""The terminal's driver where the picture of the last session is on the terminal already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from .last_screen import LastScreen

_ALTERNATE_SCREEN = "\x1b[?1049h"


def driver_for(last_screen: LastScreen) -> type[LinuxDriver]:
    """Return a driver that goes on from a picture, and puts the terminal back as found before it.

    Args:
        last_screen: What painted the picture.
    """

    class TakingOver(LinuxDriver):
        """Enters no second alternate screen, which would be a blank one."""

        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]
            if last_screen.is_shown:
                self.attrs_before = last_screen.attributes

        def write(self, data: str) -> None:
            if data == _ALTERNATE_SCREEN and last_screen.is_shown:
                return
            super().write(data)

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            last_screen.hand_over()  # if it goes on, as after ctrl+z, it starts by itself

    return TakingOver
