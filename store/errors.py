"""What can go wrong in the store, each as one sentence a reader can act on."""

from __future__ import annotations


class StoreError(Exception):
    """A failure the reader has to hear of.

    Attributes:
        message: One sentence: what failed, on which file, and why.
        hint: What to do next, or an empty string.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the sentence."""
        return self.message


class CannotOpenError(StoreError):
    """The library cannot be opened at all."""


class CannotReadError(StoreError):
    """What other programs wrote cannot be read; what was read before still holds."""


class ReadOnlyError(StoreError):
    """The library can be read but not written."""


class NotSavedError(StoreError):
    """A write failed; nothing of it counts as stored."""


class NoSuchPaperError(StoreError, KeyError):
    """A KEY or ANCHOR argument names no paper, or more than one."""


class CannotUndoError(StoreError):
    """A step cannot be undone or done again any more."""


class BadArchiveError(StoreError):
    """A file is no archive that a library can be restored from."""
