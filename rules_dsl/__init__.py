"""The compiler of the rule language: from Rules.md to the gate and the validator."""
