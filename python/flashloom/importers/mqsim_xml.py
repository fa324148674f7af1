"""MQSim's XML files as keys with lines: ElementTree on the same parser does not keep them."""
import re
from typing import NamedTuple
from xml.parsers import expat

from ..errors import BadInput
from .source import Given


class Element(NamedTuple):
    name: str
    line: int
    leaves: dict[str, Given]      # elements without elements in them; of those of one name the last
    children: "list[Element]"

    def all_leaves(self) -> dict[str, Given]:
        """Those of all elements inside, too."""
        return self.leaves | {name: given for child in self.children for name, given in child.all_leaves().items()}


def parse(name: str, text: str) -> Element:
    """The root element. Throws BadInput with the line."""
    # MQSim takes declarations of encodings that the file does not have, and blank lines ahead of them.
    text = re.sub(r"<\?xml.*?\?>", "", text, count=1)
    stack = [Element("", 0, {}, [])]
    texts = [""]
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, _: dict[str, str]) -> None:
        stack.append(Element(tag, parser.CurrentLineNumber, {}, []))
        texts.append("")

    def end(_: str) -> None:
        element, inside = stack.pop(), texts.pop()
        if element.leaves or element.children:
            stack[-1].children.append(element)
        else:
            stack[-1].leaves[element.name] = Given(inside.strip(), element.line)

    def data(part: str) -> None:
        texts[-1] += part

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise BadInput(f"{name}:{error.lineno}: is no XML: {expat.ErrorString(error.code)}") from None
    children = stack[0].children
    if not children:
        raise BadInput(f"{name}: is no file of MQSim: it has no parameters")
    return children[0]
