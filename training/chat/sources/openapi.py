"""Operations of public web APIs (APIs-guru/openapi-directory): names, descriptions and plain parameters.

Writes apis-openapi.jsonl, one line an API. The directory's CC0 covers only what its authors wrote; the descriptions it
collected keep their own licences. So only files that state a free licence are read, or files from the repositories in
ORIGINS, whose licences were read.
"""

import random
import re
from collections import Counter

from common import Repo, arguments, tidy, write
from plain_yaml import read_yaml

REPOSITORY = "APIs-guru/openapi-directory"
FREE = re.compile(r"apache|\bmit\b|\bbsd|\bcc0|\bcc[- ]by\b|attribution 3\.0|licenses/by/|public domain", re.I)
NOT_FREE = re.compile(r"by-nc|by-sa|by-nd|noncommercial|non-commercial|sharealike|gpl", re.I)
# Licences read there: MIT, or Apache-2.0 for keycloak-openapi and superset.
ORIGINS = re.compile(
    r"githubusercontent\.com/(Adyen/adyen-openapi|sendgrid/sendgrid-oai|ccouzens/keycloak-openapi|XeroAPI/Xero-OpenAPI"
    r"|alphagov/pay-publicapi|adafruit/io-api|meilisearch/documentation|ticketmaster-api/ticketmaster-api\.github\.io"
    r"|netlify/open-api|apache/superset)/"
)
# Providers with hundreds of services: every service counts for itself.
PLATFORMS = {"googleapis.com", "amazonaws.com", "github.com", "twilio.com", "atlassian.com", "adyen.com", "xero.com", "apideck.com"}
MOST = 60
LARGEST = 4_000_000
SKIPPED = {"responses", "example", "examples", "security", "callbacks", "tags", "servers", "x-origin", "securityDefinitions", "securitySchemes"}
METHODS = ("get", "post", "put", "patch", "delete")
# Domains kept for the evaluation.
KEPT_OUT = re.compile(
    r"veterin|parking|librar(y|ies)\b|car rental|rental car|rent a car|museum|exhibition|blood|\bbikes?\b|bicycle|3d.?print"
    r"|beekeep|beehive|lighthouse|wind (farm|turbine)|chess|tournament|bracket|allotment|\bferr(y|ies)\b|ice cream|pottery"
    r"|lost and found|podcast|apartment|dental|dentist|watering|coffee|marathon|choir|observator|telescope",
    re.I,
)
UNWANTED = re.compile(
    r"token|api.?key|^key$|auth|cursor|^(format|callback|fields?|alt|pretty.?print|quota.?user|user.?ip|upload.?type|upload.protocol"
    r"|action|version|api.?version|dry.?run|etag|nonce|signature|oauth.*|mask|expand|include|page|offset|embed|envelope|select|jsonp"
    r"|validate.?only|update.?mask|read.?mask|opt_.*|_.*|requestid|request.id|p_.*|idempoten.*|client.?request.*|links?|self)$"
    r"|secret|password|passphrase|credential|marker|\$|hmac|page.?(number|no|num|index)$|mask$|hash$|xgafv|if.match|checksum|md5",
    re.I,
)
FOREIGN = re.compile(r"[^\x20-\x7e]|\b(de la|der|die|das|und|les|des|pour|para|una|uma|het|een|lista de|obtener|del|da)\b|\{|\}|<|>|https?:|\\|```|[A-Z]{2,}_[A-Z]|::|==|TODO", re.I)
TYPES = ("string", "integer", "number", "boolean")


def plain(text, most):
    """The first sentence as plain text, or None when there is none of a fitting length."""
    if not isinstance(text, str):
        return None
    text = re.sub(r"<[^>]*>", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"&\w+;", " ", re.sub(r"[`*#]|__|~~", "", text))
    text = re.sub(r"\((?:required|optional)\)|^(?:Required|Optional|Output only|Immutable|Input only|Deprecated)[.:]\s*", "", tidy(text.strip()), flags=re.I).strip()
    found = re.match(r"(.+?[.!?])(?:\s+[A-Z(]|\s*$)", text)
    text = found.group(1) if found else text
    if len(text) > most:
        cut = re.match(rf"(.{{12,{most}}}?)(?:[,;:(]| - | that | which | so that | when )", text)
        text = cut.group(1).strip() if cut else ""
    text = re.sub(r"(\s+(in|from|of|for|to|by|with|the|an?|on|at|and|or|as|is|are|using|whose|into|its|your|not))+$", "", text.strip(" -:;,"))
    return text if len(text) >= 5 and not FOREIGN.search(text) and "deprecated" not in text.lower() else None


class Document:
    """One API description, OpenAPI 3 or Swagger 2."""

    def __init__(self, tree):
        self.tree = tree

    def resolved(self, value, depth=0):
        while isinstance(value, dict) and isinstance(value.get("$ref"), str) and depth < 5:
            place = self.tree
            for part in value["$ref"].lstrip("#/").split("/"):
                part = part.replace("~1", "/").replace("~0", "~")
                place = place.get(part) if isinstance(place, dict) else None
            value, depth = place, depth + 1
        return value if isinstance(value, dict) else {}

    def schema(self, value):
        """A schema with what it takes from others."""
        schema = self.resolved(value)
        for part in schema.get("allOf") or []:
            other = self.schema(part) if isinstance(part, dict) else {}
            merged = {**(other.get("properties") or {}), **(schema.get("properties") or {})}
            schema = {**other, **schema, "properties": merged, "required": as_list(schema.get("required")) + as_list(other.get("required"))}
        return schema

    def body(self, operation, parameters):
        """The schema of the body, or nothing."""
        content = self.resolved(operation.get("requestBody")).get("content")
        for kind, media in (content or {}).items() if isinstance(content, dict) else []:
            if isinstance(media, dict) and ("json" in kind or "form" in kind):
                return self.schema(media.get("schema"))
        for parameter in parameters:
            if parameter.get("in") == "body":
                return self.schema(parameter.get("schema"))
        return {}

    def params(self, shared, operation):
        """The plain parameters, or None when something else is required."""
        given = [self.resolved(one) for one in as_list(shared) + as_list(operation.get("parameters"))]
        found = {}
        for one in given:
            if one.get("in") in ("path", "query", "formData"):
                schema = {**self.schema(one.get("schema")), **{key: one[key] for key in ("type", "enum", "description") if one.get(key)}}
                found[one.get("name")] = (schema, one.get("required") is True or one.get("in") == "path")
        body = self.body(operation, given)
        required = as_list(body.get("required"))
        properties = body.get("properties") if isinstance(body.get("properties"), dict) else {}
        for name, schema in properties.items():
            if isinstance(schema, dict) and schema.get("readOnly") is not True:
                found.setdefault(name, (self.schema(schema), name in required))
        return chosen(found)

    def operations(self):
        for path, item in (self.tree.get("paths") or {}).items():
            for method in METHODS if isinstance(item, dict) else ():
                operation = item.get(method)
                if isinstance(operation, dict) and operation.get("deprecated") is not True:
                    made = self.operation(path, method, item, operation)
                    if made:
                        yield made

    def operation(self, path, method, item, operation):
        description = plain(operation.get("summary"), 120)
        if not description or len(description.split()) < 2 or len(description) < 10:
            description = plain(operation.get("description"), 120)
        if not description or len(description.split()) < 2 or KEPT_OUT.search(spaced(path + " " + description)):
            return None
        params = self.params(item.get("parameters"), operation)
        if not params or KEPT_OUT.search(spaced(str(params))):
            return None
        name = name_of(operation.get("operationId"), method, path)
        return {"name": name, "description": description, "params": params} if name else None


def spaced(text):
    """Names as words."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ")


def as_list(value):
    return value if isinstance(value, list) else []


def chosen(found):
    """At most six of the parameters, the required ones first of all."""
    params = []
    for name, (schema, required) in found.items():
        if not isinstance(name, str) or UNWANTED.search(name) or not re.fullmatch(r"[A-Za-z][\w.\-]{0,39}", name):
            if required and not re.search(r"version|action|key|token|auth", str(name), re.I):
                return None
            continue
        type_ = schema.get("type")
        paging = type_ == "string" and re.search(r"max.?results|limit$|page.?size|max.?items|max.?records", name, re.I)
        if type_ not in TYPES or paging or schema.get("format") in ("binary", "byte"):
            if required:
                return None
            continue
        param = {"name": name.replace(".", "_"), "type": type_, "description": plain(schema.get("description"), 100) or "", "required": required}
        enum = [value for value in as_list(schema.get("enum")) if isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""]
        if type_ == "string" and 1 < len(enum):
            enum = [str(value) for value in enum if not re.search(r"unspecified|unknown", str(value), re.I)]
            param["enum"] = enum[:8]
        params.append(param)
    needed = [param for param in params if param["required"]]
    if len(needed) > 6 or not params:
        return None
    kept = needed + [param for param in params if not param["required"]][: max(0, 5 - len(needed))]
    return [param for param in params if param in kept]


def name_of(identifier, method, path):
    """A function's name from the operation's own, else from its path."""
    if isinstance(identifier, str) and re.search(r"[A-Za-z]{3}", identifier):
        name = identifier
    else:
        parts = [part for part in path.split("/") if part and not part.startswith("{") and not re.fullmatch(r"v?\d+(\.\d+)*|api", part)]
        verb = {"get": "get", "post": "create", "put": "update", "patch": "update", "delete": "delete"}[method]
        name = "_".join([verb, *parts[-2:]])
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")
    name = re.sub(r"^(GET|POST|PUT|DELETE|PATCH)_(?=[A-Z])|_(projects|locations)(?=_\w+_)|20\d{6}$|_?[vV]\d+$", "", name)
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).split("_")
    return name if 3 <= len(name) <= 48 and len(words) <= 7 and not re.fullmatch(r"[0-9a-f-]{20,}", name) else None


def is_free(text):
    """Whether the file states a free licence or comes from a repository that has one."""
    found = re.search(r"^info:\n((?:[ ].*\n|\n)+)", text, re.M)
    info = found.group(1) if found else ""
    stated = re.search(r"^  license:\n((?:    .*\n)+)", info, re.M)
    if stated:
        return bool(FREE.search(stated.group(1))) and not NOT_FREE.search(stated.group(1))
    origin = re.search(r"^  x-origin:\n((?:    .*\n)+)", info, re.M)
    return bool(origin and ORIGINS.search(origin.group(1)))


def newest(paths):
    """One version of every service."""
    services = {}
    for path in sorted(paths, key=lambda path: ("beta" not in path and "alpha" not in path, [int(n) for n in re.findall(r"\d+", path.split("/")[-2])])):
        services["/".join(path.split("/")[:-2])] = path
    return set(services.values())


def sample(operations, most, key):
    """At most so many, in runs of neighbors."""
    runs = [operations[i : i + 6] for i in range(0, len(operations), 6)]
    random.Random(key).shuffle(runs)
    return [operation for run in runs for operation in run][:most]


def apis(repo):
    """One row an API."""
    free = [path for path, text in repo.files(r"^APIs/.*\.yaml$") if len(text) < LARGEST and is_free(text)]
    kept, taken, seen = newest(free), Counter(), set()
    for path, text in repo.files(lambda path: path in kept):
        tree = read_yaml(text, SKIPPED)
        if not isinstance(tree, dict):
            continue
        provider = path.split("/")[1]
        counted = "/".join(path.split("/")[:-2]) if provider in PLATFORMS else provider
        operations = []
        for operation in Document(tree).operations():
            key = (operation["description"].lower(), tuple(param["name"] for param in operation["params"]))
            if key not in seen:
                seen.add(key)
                operations.append(operation)
        operations = sample(operations, MOST - taken[counted], path)
        taken[counted] += len(operations)
        title = tree.get("info", {}).get("title")
        if operations and isinstance(title, str) and not KEPT_OUT.search(title):
            yield {"api": tidy(title)[:80], "provider": provider, "operations": operations}


def main():
    mirrors, out = arguments(__doc__)
    rows = list(apis(Repo(mirrors, REPOSITORY)))
    print(sum(len(row["operations"]) for row in rows), "operations of", len({row["provider"] for row in rows}), "providers")
    write(out / "apis-openapi.jsonl", rows)


if __name__ == "__main__":
    main()
