"""Expressions of a study: only Python's arithmetic, comparisons, conditions and calls of listed functions, over named values.

    throughput / one_die.throughput          channels * ways > 64 and workload == "read"

None stands for a missing value. Arithmetic and calls with a None give None, as does a division by zero.
"""
import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "round": round, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt,
    "log2": math.log2, "log10": math.log10, "int": int, "text": str,
}
MAX_POWER = 1024


class ExpressionError(Exception):
    """An expression that cannot be parsed, or whose operands do not fit."""


class Expression:
    """One parsed expression. `names`, `functions` and `fields` list the plain names, the functions and the (name, field) pairs that
    it uses."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise ExpressionError(f"\"{text}\" cannot be read: {getattr(error, 'msg', error)}") from None
        self.names: set[str] = set()
        self.functions: set[str] = set()
        self.fields: set[tuple[str, str]] = set()
        self._look(self._tree)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.keywords:
                raise ExpressionError(f"\"{self.text}\": only plain calls, as min(a, b)")
            self.functions.add(node.func.id)
            children: Iterable[ast.AST] = node.args
        elif isinstance(node, ast.Attribute):
            if not isinstance(node.value, ast.Name):
                raise ExpressionError(f"\"{self.text}\": only name.field")
            self.fields.add((node.value.id, node.attr))
            children = ()
        elif isinstance(node, ast.Name):
            self.names.add(node.id)
            children = ()
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            children = (node.left, node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd, ast.Not)):
            children = (node.operand,)
        elif isinstance(node, ast.Compare) and all(type(op) in COMPARISONS for op in node.ops):
            children = (node.left, *node.comparators)
        elif isinstance(node, ast.BoolOp):
            children = node.values
        elif isinstance(node, ast.IfExp):
            children = (node.test, node.body, node.orelse)
        elif isinstance(node, (ast.List, ast.Tuple)):
            children = node.elts
        elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str)):
            children = ()
        else:
            raise ExpressionError(f"\"{self.text}\": {type(node).__name__} is not part of the language of studies")
        for child in children:
            self._look(child)

    def value(self, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] | None = None) -> Any:
        """Evaluates the expression. Throws ExpressionError for an unknown name and for operands that do not fit."""
        try:
            return self._value(self._tree, values, functions or {})
        except ZeroDivisionError:
            return None
        except (TypeError, ValueError, OverflowError) as error:
            raise ExpressionError(f"\"{self.text}\": {error}") from None

    def _value(self, node: ast.AST, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
        def of(child: ast.AST) -> Any:
            return self._value(child, values, functions)

        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._named(values, node.id)
        if isinstance(node, ast.Attribute):
            assert isinstance(node.value, ast.Name)
            row = self._named(values, node.value.id)
            return None if row is None else self._named(row, node.attr)
        if isinstance(node, ast.BinOp):
            left, right = of(node.left), of(node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Pow) and abs(right) > MAX_POWER:
                raise ValueError(f"power {right} is beyond {MAX_POWER}")
            return OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.UnaryOp):
            operand = of(node.operand)
            if isinstance(node.op, ast.Not):
                return not operand
            return None if operand is None else -operand if isinstance(node.op, ast.USub) else +operand
        if isinstance(node, ast.Compare):
            left = of(node.left)
            for op, comparator in zip(node.ops, node.comparators):
                right = of(comparator)
                is_order = isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
                if is_order and (left is None or right is None):
                    return False
                if not COMPARISONS[type(op)](left, right):
                    return False
                left = right
            return True
        if isinstance(node, ast.BoolOp):
            is_and = isinstance(node.op, ast.And)
            result: Any = is_and
            for child in node.values:
                result = of(child)
                if bool(result) != is_and:
                    break
            return result
        if isinstance(node, ast.IfExp):
            return of(node.body) if of(node.test) else of(node.orelse)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [of(child) for child in node.elts]
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        arguments = [of(child) for child in node.args]
        if any(argument is None for argument in arguments):
            return None
        function = functions.get(node.func.id) or FUNCTIONS.get(node.func.id)
        if function is None:
            raise ExpressionError(f"\"{self.text}\": unknown function {node.func.id}")
        return function(*arguments)

    def _named(self, values: Mapping[str, Any], name: str) -> Any:
        if name not in values:
            raise ExpressionError(f"\"{self.text}\": unknown name {name}")
        return values[name]


def closing_brace(text: str, at: int) -> int:
    """The position of the brace that closes the expression at `at`, ignoring braces in quoted texts; -1 if there is none."""
    quote = ""
    for number in range(at, len(text)):
        char = text[number]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "}":
            return number
    return -1


class Template:
    """A text with expressions in braces, as "{8192 // ways} B"; "{{" and "}}" stand for braces."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str | Expression] = []
        plain, at = "", 0
        while at < len(text):
            if text[at:at + 2] in ("{{", "}}"):
                plain += text[at]
                at += 2
            elif text[at] == "{":
                end = closing_brace(text, at)
                if end < 0:
                    raise ExpressionError(f"\"{text}\": a brace is not closed")
                self.parts += [plain, Expression(text[at + 1:end])]
                plain, at = "", end + 1
            elif text[at] == "}":
                raise ExpressionError(f"\"{text}\": a brace is closed that was not opened")
            else:
                plain += text[at]
                at += 1
        self.parts.append(plain)

    @property
    def expressions(self) -> list[Expression]:
        return [part for part in self.parts if isinstance(part, Expression)]

    def filled(self, values: Mapping[str, Any]) -> str:
        return "".join(part if isinstance(part, str) else as_text(part.value(values)) for part in self.parts)


def as_text(value: Any) -> str:
    """A value as written in a command line or a table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return "" if value is None else str(value)
