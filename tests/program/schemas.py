"""The JSON Schemas of docs/schemas, and checks of documents against them."""
import json

import jsonschema
from program import ROOT

FOLDER = ROOT / "docs/schemas"


def schema(name):
    """A schema, with the schemas that it refers to by file name inlined."""
    loaded = json.loads((FOLDER / f"{name}.schema.json").read_text())

    def inline(node):
        if isinstance(node, dict):
            target = node.get("$ref", "")
            if target.endswith(".schema.json"):
                other = schema(target.removesuffix(".schema.json"))
                return {key: value for key, value in other.items() if key not in ("$schema", "$id")}
            return {key: inline(value) for key, value in node.items()}
        return [inline(value) for value in node] if isinstance(node, list) else node

    return inline(loaded)


def check(document, name):
    """Raises jsonschema.ValidationError, which names the place, unless the document fits the schema."""
    jsonschema.Draft202012Validator(schema(name)).validate(document)


def names():
    return sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json"))
