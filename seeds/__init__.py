"""The three reading lists that a new library starts with, and what is known of their papers."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the lists lie."""
