"""Every one-token change of the document's statements and defines: what stands around the expressions."""

from __future__ import annotations

from collections.abc import Iterator

from rules_dsl import ir
from rules_dsl.diagnostics import Collector, Span
from rules_dsl.ir import SCOPES
from rules_dsl.mutate.expressions import Expressions
from rules_dsl.mutate.model import Mutant, Written
from rules_dsl.mutate.names import lists
from rules_dsl.mutate.tokens import Edit, Tokens, place
from rules_dsl.semantics.lower import LEVELS
from rules_dsl.semantics.typecheck import Checker
from rules_dsl.syntax import ast
from rules_dsl.syntax.transform import PACKAGE
from rules_dsl.vocabulary.divisions import costed


def categories(written: Written) -> dict[str, str]:
    """What a prefix can name, and the prefix: the divisions that a breach can cost, and the package."""
    names = (*(d.name for d in costed(written.compiled.program.divisions)), PACKAGE)
    return {name: f"in {name}:" for name in names}


def statement_mutants(written: Written) -> Iterator[Mutant]:
    """The mutants of every statement."""
    program = written.compiled.program
    for clause in program.clauses:
        for statement, tree in zip(clause.statements, written.statements.get(clause.rule, ()), strict=True):
            work = _Statement(written, tree, statement)
            for edit in dict.fromkeys(work.edits()):
                yield _mutant(written, edit, "rule", clause.rule, statement.number)


def define_mutants(written: Written) -> Iterator[Mutant]:
    """The mutants of every define."""
    for name, tree in written.defines.items():
        found: dict[Edit, None] = {}
        tokens = Tokens.of(written.text, tree.span, "defines")
        work = Expressions(written.text, tokens, _checker(written))
        words = list(tokens.within(tree.span))
        found.update(dict.fromkeys(Edit(place(words[2]), s, "scope") for s in SCOPES if s != tree.scope))
        found.update(dict.fromkeys(work.edits(tree.expr, tree.span)))
        for edit in found:
            yield _mutant(written, edit, "define", name, 0)


def _mutant(written: Written, edit: Edit, part: str, owner: str, number: int) -> Mutant:
    old = written.text[edit.span.start : edit.span.end]
    return Mutant(edit.span, old, edit.new, edit.kind, part, owner, number)


def _checker(written: Written) -> Checker:
    types = {d.name: (d.scope, d.expr.type) for d in written.compiled.program.defines}
    return Checker(written.compiled.vocabulary, types, Collector())


class _Statement:
    """The changes of one statement."""

    def __init__(self, written: Written, tree: ast.Statement, lowered: ir.Statement) -> None:
        self._written, self._tree, self._lowered = written, tree, lowered
        self._tokens = Tokens.of(written.text, tree.span, "rule", written.compiled.vocabulary.prefixes)
        self._free = Expressions(written.text, self._tokens, _checker(written))
        self._start = Span(tree.span.start, tree.span.start)

    def edits(self) -> Iterator[Edit]:
        """Prefixes, level, guards, the loop, the condition."""
        tree = self._tree
        yield from self._level()
        yield from self._category()
        yield from self._editions()
        yield from self._more_guards()
        inner = self._free
        if tree.each is not None:
            inner = self._free.bound(dict.fromkeys(tree.each.names, tree.each.listing))
            yield from (Edit(tree.each.mark, n, "list") for n in lists(tree.each.listing, self._free.checker))
            if tree.each.where is not None:
                first = self._free.bound({tree.each.names[0]: tree.each.listing})
                # one more place at the end: `where` of a fold ends with a parenthesis, this one does not
                yield from first.where(tree.each.where, Span(tree.each.span.start, tree.each.span.end + 1))
        for guard in tree.guards:
            yield from inner.edits(guard, tree.span)
            yield Edit(self._guard(guard), "", "when")
        yield from inner.edits(tree.condition, tree.span)

    def _level(self) -> Iterator[Edit]:
        word = next(t for t in self._tokens.words if t.type == "LEVEL")
        yield from (Edit(place(word), level, "level") for level in LEVELS if level != self._tree.level)

    def _category(self) -> Iterator[Edit]:
        """The category dropped, added, or another one."""
        known = categories(self._written)
        if self._tree.category == "all":
            yield from (Edit(self._start, f"{prefix} ", "category") for prefix in known.values())
            return
        index, token = next((i, t) for i, t in enumerate(self._tokens.words) if t.type == "IN_CATEGORY")
        follows = place(self._tokens.words[index + 1]).start
        yield Edit(Span(place(token).start, follows), "", "category")
        others = (prefix for name, prefix in known.items() if name != self._tree.category)
        yield from (Edit(place(token), prefix, "category") for prefix in others)

    def _editions(self) -> Iterator[Edit]:
        """An edition to its neighbours, `since` to `until`, the prefix dropped; the narrowest one added."""
        order = self._written.compiled.page.head.editions
        for word, said in (("since", self._tree.since), ("until", self._tree.until)):
            if said is None:
                if len(order) > 1:
                    first_out = order[1] if word == "since" else order[-2]
                    yield Edit(self._start, f'{word} "{first_out}": ', "edition")
                continue
            index, token = next((i, t) for i, t in enumerate(self._tokens.words) if t.type == word.upper())
            text, _, follows = self._tokens.words[index + 1 : index + 4]
            yield Edit(Span(place(token).start, place(follows).start), "", "edition")
            yield Edit(place(token), "until" if word == "since" else "since", "edition")
            at = order.index(said)
            near = [order[n] for n in (at - 1, at + 1) if 0 <= n < len(order)]
            yield from (Edit(place(text), f'"{edition}"', "edition") for edition in near)

    def _guard(self, guard: ast.Expr) -> Span:
        """`when ... : ` with what stands between."""
        whole = self._tokens.grouped(guard.span, self._tree.span)
        index, _ = next(
            (i, t)
            for i, t in enumerate(self._tokens.words)
            if t.type == "COLON" and place(t).start >= whole.end
        )
        when = self._tokens.before(whole.start)
        start = place(when).start if when is not None else whole.start
        return Span(start, place(self._tokens.words[index + 1]).start)

    def _more_guards(self) -> Iterator[Edit]:
        """A guard that another statement of the scope has, added to one that has none of its own."""
        if self._tree.guards:
            return
        seen: dict[str, None] = {}
        for clause in self._written.compiled.program.clauses:
            pairs = zip(clause.statements, self._written.statements.get(clause.rule, ()), strict=True)
            for lowered, tree in pairs:
                if lowered.scope == self._lowered.scope and tree.each is None:
                    seen.update(
                        dict.fromkeys(
                            " ".join(self._written.text[g.span.start : g.span.end].split())
                            for g in tree.guards
                        )
                    )
        level = next(t for t in self._tokens.words if t.type == "LEVEL")
        at = Span(place(level).start, place(level).start)
        yield from (Edit(at, f"when {words}: ", "when") for words in seen)
