"""The JSON Schemas of docs/schemas, and checks of documents against them."""
import functools
import json
import re

import jsonschema
from program import ROOT

FOLDER = ROOT / "docs/schemas"


def source(name):
    """Text of a schema in docs/schemas."""
    return (FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")


@functools.cache
def schema(name):
    """A schema as cmake/Install.cmake installs it: with the schemas inside that it refers to whole."""
    whole = re.sub(r'\{"\$ref": "(\w+)\.schema\.json"\}', lambda found: json.dumps(schema(found[1])), source(name))
    return json.loads(whole)


def objects(node, home=None):
    """Every object in a schema, with the schema that its references begin at: that with the nearest $id around it."""
    if isinstance(node, dict):
        home = node if "$id" in node else home
        yield node, home
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(child, home)


def check(document, name):
    """Raises jsonschema.ValidationError, which names the place, unless the document fits the schema."""
    jsonschema.Draft202012Validator(schema(name)).validate(document)


def names():
    return sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json"))
