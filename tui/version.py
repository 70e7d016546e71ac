"""The version of the program, apart so that asking for it imports nothing."""

VERSION = "0.1.0"
