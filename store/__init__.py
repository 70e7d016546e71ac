"""The library: papers, reading lists, marks, notes and search, without a user interface.

`Library` is the one door; everything else here is what it takes and gives.
"""

from .change import Change
from .errors import (
    BadArchiveError,
    CannotOpenError,
    CannotUndoError,
    NoSuchPaperError,
    NotSavedError,
    ReadOnlyError,
    StoreError,
)
from .library import Library
from .lists import SMART_LISTS
from .orders import ORDERS
from .paper import Entry, Mark, Overview, Paper, Progress, ReadingList, Status
from .rows import Found, Rows
from .searches import PREFIX as SEARCH_PREFIX

__all__ = [
    "ORDERS",
    "SEARCH_PREFIX",
    "SMART_LISTS",
    "BadArchiveError",
    "CannotOpenError",
    "CannotUndoError",
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
    "Rows",
    "Status",
    "StoreError",
]
