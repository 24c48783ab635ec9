"""The command line: what users type, and the exit codes that scripts rely on."""
