"""The commands of `clausegate`: where each is, and what it does in one line.

The divisions of the rule set stand beside them; a division cannot be called like one of these.
"""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "validate": ("engine.cli.validate:validate", "Judge a package, an organisation or one leaf."),
    "package": ("engine.cli.package:package", "Start a package, add a run to it."),
    "bench": ("bench.cli.group:bench", "The checkpoint workload beside a run: plan, report, clean."),
    "build": ("rules_dsl.commands.build:build", "Compile Rules.md to the gate and the validator."),
    "check": ("rules_dsl.commands.check:check", "Check Rules.md: names, types, cases, breach sentences."),
    "test": (
        "rules_dsl.commands.test_document:test",
        "Run the cases of Rules.md; --mutate finds what they do not pin.",
    ),
    "fmt": ("rules_dsl.commands.format:fmt", "Refresh the breach sentences and the layout of Rules.md."),
    "rules": ("rules_dsl.commands.rules:rules", "List the clauses of Rules.md."),
    "new": ("rules_dsl.commands.new:new", "Begin a clause of Rules.md at its place by number."),
    "explain": ("rules_dsl.commands.explain:explain", "Explain a clause of Rules.md, or a diagnostic."),
}
"""command -> (module:attribute, short help)"""
