"""The library: papers, reading lists, marks, notes and search, without a user interface.

`Library` is the one door; everything else here is what it takes and gives.
"""

from .errors import CannotOpenError, NoSuchPaperError, NotSavedError, ReadOnlyError, StoreError
from .library import SMART_LISTS, Found, Library
from .marks import Change
from .paper import Entry, Mark, Overview, Paper, Progress, ReadingList, Status

__all__ = [
    "SMART_LISTS",
    "CannotOpenError",
    "Change",
    "Entry",
    "Found",
    "Library",
    "Mark",
    "NoSuchPaperError",
    "NotSavedError",
    "Overview",
    "Paper",
    "Progress",
    "ReadOnlyError",
    "ReadingList",
    "Status",
    "StoreError",
]
