"""What a C header defines where one of its `#if (BASE_SSD == NAME)` holds: macros without arguments, and their values."""
import ast
import operator
import re
from collections.abc import Callable, Mapping

from ..errors import BadInput
from ..places import one_of
from .source import Given

_OPERATORS: Mapping[type, Callable[[int | float, int | float], int | float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod, ast.LShift: lambda a, b: int(a) << int(b),
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Div: lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) else a / b,
}
_SCALES = {"KB": 2**10, "MB": 2**20, "GB": 2**30}  # of nvmev.h


def models(text: str) -> list[str]:
    """The names that BASE_SSD is compared with."""
    return list(dict.fromkeys(re.findall(r"BASE_SSD\s*==\s*(\w+)", _without_comments(text))))


def macros_of(name: str, text: str, model: str) -> dict[str, Given]:
    """The macros of a model with their values. Throws BadInput with the line for what is not understood."""
    if model not in models(text):
        raise BadInput(f"{name}: BASE_SSD is never {model}; {one_of(models(text), model)}")
    numbers = {"BASE_SSD": model} | {one: str(i) for i, one in enumerate(models(text))}  # in #if: some headers leave them to the Makefile
    everywhere: dict[str, str] = {}
    of_model: dict[str, int] = {}
    open_ifs: list[tuple[bool, bool, bool]] = []  # holds; one of its branches has held; is about BASE_SSD
    lines = _without_comments(text).replace("\\\n", " \n").splitlines()
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not found:
            continue
        word, rest = found[1], found[2].strip()
        holds = all(one[0] for one in open_ifs)
        if word in ("if", "ifdef", "ifndef"):
            if word == "if":
                value = holds and bool(_value(rest, everywhere | numbers, f"{name}:{number}"))
            else:
                value = (rest in everywhere) == (word == "ifdef")
            open_ifs.append((value, value, "BASE_SSD" in rest))
        elif word in ("elif", "else", "endif") and not open_ifs:
            raise BadInput(f"{name}:{number}: #{word} without #if")
        elif word == "elif":
            _, held, about = open_ifs.pop()
            value = not held and bool(_value(rest, everywhere | numbers, f"{name}:{number}"))
            open_ifs.append((value, held or value, about or "BASE_SSD" in rest))
        elif word == "else":
            _, held, about = open_ifs.pop()
            open_ifs.append((not held, True, about))
        elif word == "endif":
            open_ifs.pop()
        elif word == "define" and holds and (macro := re.match(r"(\w+)(?!\()\b\s*(.*)", rest)) and not rest.startswith(f"{macro[1]}("):
            everywhere[macro[1]] = macro[2]
            if any(one[2] for one in open_ifs):
                of_model[macro[1]] = number
    values = {}
    for macro_name, number in of_model.items():
        value = _value(everywhere[macro_name], everywhere, f"{name}:{number}: {macro_name}")
        values[macro_name] = Given(f"{value:.17g}" if isinstance(value, float) else str(int(value)), number)
    return values


def _without_comments(text: str) -> str:
    """Comments as blanks; lines stay where they are."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)


def _value(expression: str, macros: Mapping[str, str], place: str, depth: int = 0) -> int | float:
    """Integer arithmetic as in C; a name that is no macro is 0, as in #if."""
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+\.?\d*)[uUlLfF]*\b", r"\1", expression)
    text = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda found: str(int(found[1] in macros)), text)
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or ")).strip() or "1"
    try:
        tree: ast.AST = ast.parse(text, mode="eval").body
        if depth > 50:
            raise ValueError("defines itself")
        return _of(tree, macros, place, depth)
    except (SyntaxError, ValueError, ZeroDivisionError, TypeError) as error:
        raise BadInput(f'{place}: "{expression.strip()}" is no number ({error})') from None


def _of(tree: ast.AST, macros: Mapping[str, str], place: str, depth: int) -> int | float:
    def of(part: ast.AST) -> int | float:
        return _of(part, macros, place, depth)

    if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float):
        return tree.value
    if isinstance(tree, ast.Name):
        return _value(macros[tree.id], macros, place, depth + 1) if tree.id in macros else 0
    if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
        return _OPERATORS[type(tree.op)](of(tree.left), of(tree.right))
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _OPERATORS:
        return _OPERATORS[type(tree.ops[0])](of(tree.left), of(tree.comparators[0]))
    if isinstance(tree, ast.BoolOp):
        parts = [bool(of(part)) for part in tree.values]
        return all(parts) if isinstance(tree.op, ast.And) else any(parts)
    if isinstance(tree, ast.UnaryOp):
        value = of(tree.operand)
        return not value if isinstance(tree.op, ast.Not) else -value if isinstance(tree.op, ast.USub) else value
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in _SCALES and len(tree.args) == 1:
        return of(tree.args[0]) * _SCALES[tree.func.id]
    raise ValueError("not understood")
