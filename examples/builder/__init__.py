"""What a tool records of a run, file by file, with values that nobody measured."""
