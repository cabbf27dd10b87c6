# SPDX-License-Identifier: MIT
# A small judge of JSON by JSON Schema: the part of the standard that our schemas use, and nothing else.
"""faults(value, schema) gives a sentence for each fault. Fields that the schema does not know are faults, too."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"$schema", "$defs", "$ref", "$comment", "title", "description", "anyOf", "type", "enum", "const", "properties", "required",
            "additionalProperties", "items", "minItems", "maxItems", "minimum"}


def is_type(value, name):
    if name in ("number", "integer"):
        kinds = int if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, root=None, place="$"):
    root = schema if root is None else root
    found = [f"{place}: the schema has an unknown word {word}" for word in schema if word not in KEYWORDS]
    if "$ref" in schema:
        found += faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place)
    if "anyOf" in schema:
        answers = [faults(value, one, root, place) for one in schema["anyOf"]]
        if all(answers):  # the nearest miss tells most
            found += min(answers, key=lambda answer: (any(" is not " in fault and ".verb" in fault for fault in answer), len(answer)))
    if "const" in schema and value != schema["const"]:
        found.append(f"{place}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: {value!r} is not one of {schema['enum']}")
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return found + [f"{place}: {value!r} is not of type {' or '.join(names)}"]
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        found.append(f"{place}: {value} is below {schema['minimum']}")
    if isinstance(value, dict) and "object" in names:
        found += faults_of_object(value, schema, root, place)
    if isinstance(value, list) and "array" in names:
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{place}: has {len(value)} elements")
        for number, element in enumerate(value):
            found += faults(element, schema["items"], root, f"{place}[{number}]")
    return found


def faults_of_object(value, schema, root, place):
    known = schema.get("properties", {})
    found = [f"{place}: has no {name}" for name in schema.get("required", []) if name not in value]
    for name, inside in value.items():
        if name in known:
            found += faults(inside, known[name], root, f"{place}.{name}")
        elif "additionalProperties" in schema:
            found += faults(inside, schema["additionalProperties"], root, f"{place}.{name}")
        else:
            found.append(f"{place}: {name} is not in the schema")
    return found
