"""The known path of a node: plain Python, and what has to be known so that it says the same.

`KnownPath` prints the expression that a person would write and collects `needs`, the conditions under
which every operand is known. Where a form has no such expression (a cell that some rows lack, say) it
raises `NoKnownPath`, and the four-valued path judges alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules_dsl import ir
from rules_dsl.emit.four_valued import Printer
from rules_dsl.emit.layout import Chain, Doc, Group, Pair, Parens, call, flat, quoted
from rules_dsl.emit.names import attribute, loop_name, table_constant

OR, AND, NOT, COMPARE, ADD, TIMES, ATOM = range(1, 8)
"""How tightly an expression binds, loosest first."""

OPERATORS = {
    "==": (" == ", COMPARE),
    "!=": (" != ", COMPARE),
    "<": (" < ", COMPARE),
    "<=": (" <= ", COMPARE),
    ">": (" > ", COMPARE),
    ">=": (" >= ", COMPARE),
    "+": (" + ", ADD),
    "-": (" - ", ADD),
    "*": (" * ", TIMES),
    "mod": (" % ", TIMES),
}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "in": "not-in", "not-in": "in"}
BUILTINS = {"abs": "abs", "min": "min", "max": "max", "ceil": "ceil", "floor": "floor"}
Printed = tuple[Doc, int]
"""An expression and how tightly it binds."""

YES: Printed = ("True", ATOM)
NO: Printed = ("False", ATOM)


class NoKnownPath(Exception):
    """A form that plain Python cannot say without asking what is unknown."""


class KnownPath:
    """Prints nodes of one predicate. `names`: bound elements and the Python names of their parameters."""

    def __init__(self, program: ir.Program, printer: Printer, subject: str, names: Mapping[str, str]) -> None:
        self.program = program
        self.printer = printer
        self.subject = subject
        self.names = dict(names)
        self.needs: dict[str, None] = {}
        self._elements: dict[str, list[str]] = {}  # of loops that are open: what their elements need
        self._keys: set[tuple[str, str]] = set()  # (key, table): what is known to be a key of a table

    def condition(self, node: ir.Node) -> Doc:
        """The expression, of any binding."""
        return self._print(node)[0]

    def fact(self, node: ir.Ref) -> str:
        """A fact of the subject, or of a bound element."""
        owner, _, part = node.name.rpartition(".")
        if owner in self.names:
            return f"{self.names[owner]}.{attribute(part)}"
        return f"{self.subject}.{attribute(node.name)}"

    def fixed(self, node: ir.Ref, *, value: bool) -> None:
        """Take a yes or no as known to be so: what is printed next holds for that value."""
        self.needs[f"{self.fact(node)} is {value}"] = None

    def holds(self, node: ir.Node) -> None:
        """Take a condition as given from here on: the `when` or `where` of what is printed next."""
        for part in node.operands if isinstance(node, ir.Op) and node.op == "and" else (node,):
            self._note_key(part, "in")

    def opposite(self, node: ir.Node) -> Doc:
        """The negation of a condition."""
        return self._not(node)[0]

    # --- nodes ---------------------------------------------------------------------------

    def _print(self, node: ir.Node) -> Printed:
        match node:
            case ir.Const():
                return self.printer.literal(node.value), ATOM
            case ir.Ref():
                return self._ref(node), ATOM
            case ir.SetOf():
                return self._set(node), ATOM
            case ir.Cellref():
                return self._cell(node), ATOM
            case ir.Is():
                return self._is(node)
            case ir.Like():
                name = "matches" if node.op == "matches" else "starts_with"
                text = self.printer.call(name, self._print(node.operand)[0], quoted(node.pattern))
                return Chain(" is ", (text, "True")), COMPARE
            case ir.Folded():
                return self._fold(node), ATOM
            case ir.Op():
                return self._operation(node)

    def _operation(self, node: ir.Op) -> Printed:
        operands = node.operands
        match node.op:
            case "and" | "or":
                return self._connect(node.op, operands)
            case "not":
                return self._not(operands[0])
            case "in" | "not-in":
                return self._among(node)
            case "otherwise":
                return self._print(operands[0])  # known, so that nothing else is asked
            case "/":
                left, right = (self._print(o)[0] for o in operands)
                self._need_nonzero(operands[1], right)
                return self.printer.call("Fraction", left, right), ATOM
            case "-" if operands[0].type.kind == "time":
                return self.printer.call("elapsed", *(self._print(o)[0] for o in operands)), ATOM
            case "size":
                return call("len", self._print(operands[0])[0]), ATOM
            case op if op in BUILTINS:
                parts = [self._print(o)[0] for o in operands]
                if op in {"ceil", "floor"}:
                    self.printer.used.add(f"math.{op}")
                return (
                    call(BUILTINS[op], *parts) if len(parts) > 1 or op not in {"min", "max"} else parts[0]
                ), ATOM
            case "==" | "!=" if any(o.type.kind == "any" for o in operands):
                return self._same(node)
            case "mod":
                self._need_nonzero(operands[1], self._print(operands[1])[0])
        sign, tight = OPERATORS[node.op]
        # `a - (b - c)` and `(a == b) == c` keep their parentheses
        left, right = (
            self._tight(operands[0], tight + (tight == COMPARE)),
            self._tight(operands[1], tight + 1),
        )
        return Chain(sign, (left, right)), tight

    def _tight(self, node: ir.Node, least: int) -> Doc:
        doc, tight = self._print(node)
        return doc if tight >= least else Parens(doc)

    def _connect(self, op: str, operands: Iterable[ir.Node]) -> Printed:
        """`and`, `or` without what is certain; an operand may rely on keys that earlier ones named."""
        tight, neutral, certain = (AND, YES, NO) if op == "and" else (OR, NO, YES)
        before = set(self._keys)
        parts: list[Printed] = []
        for operand in operands:
            printed = self._print(operand)
            if printed == certain:
                parts = [certain]
                break
            if printed != neutral:
                parts.append(printed)
            self._note_key(operand, "in" if op == "and" else "not-in")
        self._keys = before
        if len(parts) < 2:
            return parts[0] if parts else neutral
        return Chain(f" {op} ", tuple(doc if binds >= NOT else Parens(doc) for doc, binds in parts)), tight

    def _not(self, node: ir.Node) -> Printed:
        if isinstance(node, ir.Op) and node.op in NEGATED:
            return self._print(ir.Op(node.span, node.type, NEGATED[node.op], node.operands))
        if isinstance(node, ir.Op) and node.op == "not":
            return self._print(node.operands[0])
        doc, tight = self._print(node)
        if (doc, tight) in (YES, NO):
            return NO if (doc, tight) == YES else YES
        return Pair("not ", doc if tight >= NOT else Parens(doc)), NOT

    def _same(self, node: ir.Op) -> Printed:
        """Of values of any type: yes is not 1, unless one of them is a text and cannot be either."""
        left, right = node.operands
        if any(isinstance(o, ir.Const) and isinstance(o.value, str) for o in node.operands):
            return Chain(f" {node.op} ", (self._tight(left, ADD), self._tight(right, ADD))), COMPARE
        same = self.printer.call("same", self._print(left)[0], self._print(right)[0])
        return (same, ATOM) if node.op == "==" else (Pair("not ", same), NOT)

    def _among(self, node: ir.Op) -> Printed:
        value, members = node.operands
        kinds = {type(v) for v in members.values} if isinstance(members, ir.SetOf) else {str}
        if value.type.kind in {"any", "bool"} and kinds != {str}:
            raise NoKnownPath
        sign = " in " if node.op == "in" else " not in "
        return Chain(sign, (self._tight(value, ADD), self._tight(members, ADD))), COMPARE

    def _set(self, node: ir.SetOf) -> Doc:
        if node.table is not None:
            return self._table(node.table)
        if not node.values:
            raise NoKnownPath
        ordered = sorted(
            node.values, key=lambda v: (str(type(v)), v if isinstance(v, str) else float(v), str(v))
        )
        return Group("{", tuple(self.printer.literal(v) for v in ordered), "}")

    def _is(self, node: ir.Is) -> Printed:
        """A fact that is known is recorded and listed; a cell that every row has is valid."""
        if not isinstance(node.operand, (ir.Ref, ir.Cellref)):
            raise NoKnownPath
        self._print(node.operand)
        return NO if node.negated else YES

    # --- what has to be known ------------------------------------------------------------

    def _ref(self, node: ir.Ref) -> Doc:
        text = self.fact(node)
        elements = self._elements.get(node.name.rpartition(".")[0])
        if elements is None:
            self.needs[f"{text} is not None"] = None
        elif text not in elements:
            elements.append(text)
        return text

    def _need_nonzero(self, node: ir.Node, printed: Doc) -> None:
        if isinstance(node, ir.Const):
            if node.value == 0:
                raise NoKnownPath
            return
        if self._elements:
            raise NoKnownPath  # of an element: it would have to be asked of each
        self.needs[f"{flat(printed)} != 0" if isinstance(printed, str) else f"({flat(printed)}) != 0"] = None

    def _table(self, name: str) -> str:
        constant = table_constant(name)
        self.printer.used.add(constant)
        return constant

    def _cell(self, node: ir.Cellref) -> Doc:
        rows = self.program.tables[node.table]
        keys = self._possible_keys(node.key, node.table)
        if isinstance(node.column, ir.Const):
            columns = {str(node.column.value)}
            column: Doc = self.printer.literal(node.column.value)
        elif isinstance(node.column, ir.Cellref) and isinstance(node.column.column, ir.Const):
            cells = self.program.tables[node.column.table].values()
            columns = {str(row.get(str(node.column.column.value))) for row in cells}
            column = self._print(node.column)[0]
        else:
            raise NoKnownPath
        if any(name not in rows[key] for key in keys for name in columns):
            raise NoKnownPath
        return f"{self._table(node.table)}[{flat(self._print(node.key)[0])}][{flat(column)}]"

    def _possible_keys(self, key: ir.Node, table: str) -> Iterable[str]:
        """The rows that a key can name. Raises NoKnownPath when it may name none."""
        rows = self.program.tables[table]
        members: Iterable[str] | None = None
        if isinstance(key, ir.Const):
            members = [str(key.value)]
        elif key.type.kind == "enum" and (spec := self.program.facts.get(key.type.of or "")) is not None:
            members = spec.members
        if members is not None:
            if not set(members) <= set(rows):
                raise NoKnownPath
            return members
        if (flat(self._print(key)[0]), table) not in self._keys:
            raise NoKnownPath
        return rows

    def _note_key(self, node: ir.Node, op: str) -> None:
        """After `key in TABLE` (or the `not in` that an `or` has passed) the table has the key."""
        if isinstance(node, ir.Op) and node.op == op:
            key, members = node.operands
            if isinstance(members, ir.SetOf) and members.table is not None:
                self._keys.add((flat(self._print(key)[0]), members.table))

    # --- folds ---------------------------------------------------------------------------

    def _fold(self, node: ir.Folded) -> Doc:
        if self._elements:
            raise NoKnownPath  # a fold within a fold: what its elements need depends on the outer one
        listing = self._ref(node.listing)
        python = loop_name(node.name, {*self.names.values(), self.subject})
        outside = self.names
        self.names = {**outside, node.name: python}
        self._elements[node.name] = []
        try:
            where = None if node.where is None else self._print(node.where)[0]
            term = self._print(node.term)[0]
        finally:
            needed = self._elements.pop(node.name)
            self.names = outside
        source = f"for {python} in {flat(listing)}"
        if needed:
            known = Chain(" and ", tuple(f"{text} is not None" for text in needed))
            self.needs[flat(call("all", Chain(" ", (known, source))))] = None
        each = Chain(" ", (term, source) if where is None else (term, source, Pair("if ", where)))
        if node.kind == "count":
            return (
                call("len", listing) if where is None else Parens(Chain(" ", ("1", *each.parts[1:])), "sum")
            )
        if node.kind == "distinct":
            if node.term.type.kind == "any":
                raise NoKnownPath
            return Parens(Parens(each, "set"), "len")
        if node.kind in {"any", "all", "sum"}:
            return Parens(each, node.kind)
        if where is not None:
            raise NoKnownPath  # whether any is left would have to be asked first
        self.needs[f"{flat(listing)} != ()"] = None
        if node.kind == "mean":
            return self.printer.call("Fraction", Parens(each, "sum"), call("len", listing))
        return Parens(each, {"least": "min", "greatest": "max"}[node.kind])
