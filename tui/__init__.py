"""What the reader sees: the program in the terminal and the command line."""
