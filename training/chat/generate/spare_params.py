"""Parameters that nobody gives a value for: what a request does not say is left out of its call."""

# Name, type, description; a list of values makes it a choice.
SPARE = [
    ("unit", "string", "Unit of measurement, metric unless said otherwise"),
    ("units", ["metric", "imperial"], "System of units"),
    ("currency", "string", "Three-letter currency code"),
    ("limit", "integer", "Most results to return"),
    ("max_results", "integer", "How many results at most"),
    ("offset", "integer", "Results to skip"),
    ("page", "integer", "Page of the results"),
    ("sort_by", ["relevance", "date", "price", "name"], "Order of the results"),
    ("order", ["asc", "desc"], "Ascending or descending"),
    ("verbose", "boolean", "Whether to return every detail"),
    ("include_details", "boolean", "Whether to add details to the answer"),
    ("dry_run", "boolean", "Only check, change nothing"),
    ("force", "boolean", "Go on even if there are warnings"),
    ("notify", "boolean", "Whether to send a notification"),
    ("silent", "boolean", "Do not tell anybody"),
    ("priority", ["low", "normal", "high"], "How urgent it is"),
    ("urgency", ["routine", "soon", "immediate"], "Urgency of the matter"),
    ("note", "string", "Free text for the staff"),
    ("notes", "string", "Further remarks"),
    ("comment", "string", "A comment to keep with it"),
    ("reason", "string", "Why it is asked for"),
    ("tags", "list", "Labels to attach"),
    ("labels", "list", "Labels for later searches"),
    ("attachments", "list", "Files to add"),
    ("locale", "string", "Locale such as en-GB"),
    ("timezone", "string", "Time zone of the caller"),
    ("format", ["json", "csv", "text"], "Format of the output"),
    ("output_format", ["short", "long"], "How much to print"),
    ("precision", "integer", "Decimal places of the result"),
    ("decimal_places", "integer", "Digits after the point"),
    ("rounding", ["up", "down", "nearest"], "How to round"),
    ("tolerance", "number", "Allowed deviation"),
    ("threshold", "number", "Values below are ignored"),
    ("min_rating", "number", "Lowest rating that counts"),
    ("max_price", "number", "Upper bound for the price"),
    ("radius_km", "number", "How far to look around"),
    ("discount_code", "string", "Code of a voucher"),
    ("promo_code", "string", "Promotional code"),
    ("payment_method", ["card", "cash", "invoice", "transfer"], "How it is paid"),
    ("contact_email", "string", "Where to write to"),
    ("phone", "string", "Telephone number for questions"),
    ("callback_url", "string", "Address to call when it is done"),
    ("reference", "string", "Reference of the caller"),
    ("request_id", "string", "Identifier of this request"),
    ("session_id", "string", "Identifier of the session"),
    ("version", "string", "Version to use"),
    ("timeout_seconds", "integer", "Give up after so many seconds"),
    ("retries", "integer", "How often to try again"),
    ("color", "string", "Colour, if it matters"),
    ("size", ["S", "M", "L", "XL"], "Size"),
    ("shirt", ["XS", "S", "M", "L", "XL"], "Size of the shirt"),
    ("gift_wrap", "boolean", "Whether to wrap it as a gift"),
    ("insurance", "boolean", "Whether insurance is wanted"),
    ("accessible", "boolean", "Whether step-free access is needed"),
    ("window_seat", "boolean", "Whether a window seat is preferred"),
    ("dietary_needs", "list", "What cannot be eaten"),
    ("seating", ["inside", "outside", "bar"], "Where to sit"),
    ("visibility", ["public", "private", "team"], "Who may see it"),
    ("language", "string", "Language of the answer"),
    ("recurring", "boolean", "Whether it repeats"),
    ("reminder_minutes", "integer", "When to remind beforehand"),
    ("end_date", "string", "Last day, if there is one"),
    ("archived", "boolean", "Also look at what is archived"),
    ("exact_match", "boolean", "Whether the words must match exactly"),
    ("case_sensitive", "boolean", "Whether case matters"),
    ("method", ["standard", "fast", "exact"], "Way of computing it"),
    ("mode", ["auto", "manual"], "How it is run"),
    ("level", ["basic", "advanced"], "Level of detail"),
    ("category", "string", "Category to look in"),
    ("gender", ["female", "male", "any"], "If it matters"),
    ("age_group", ["child", "adult", "senior"], "For whom it is"),
    ("delivery_notes", "string", "Hints for the driver"),
    ("start_after", "string", "Not before this time"),
    ("author_id", "string", "Identifier of the author"),
    ("source", "string", "Where it comes from"),
    ("confidence", "number", "Confidence between 0 and 1"),
    ("weighting", "list of number", "Weights, all alike unless given"),
    ("seed", "integer", "Seed for random numbers"),
]
DEFAULTS = {
    "integer": ["1", "5", "10", "20", "100"],
    "number": ["0", "0.5", "1.0", "100"],
    "boolean": ["false", "true"],
    "string": ["none", "empty", "'en'", "the account's own", "all"],
    "array": ["an empty list", "none"],
}
SHAPES = ["{d} (optional)", "Optional. {d}", "{d}. Default is {v}.", "{d} (default: {v})", "{d}. Defaults to {v} if not given.", "{d}. If not given, {v} is used."]


def schema_of(kind, description: str) -> dict:
    if isinstance(kind, list):
        return {"type": "string", "enum": kind, "description": description}
    if kind.startswith("list"):
        return {"type": "array", "items": {"type": kind[8:] or "string"}, "description": description}
    return {"type": kind, "description": description}


def add_spares(rng, function: dict) -> None:
    """Some optional parameters more, and now and then what is taken where an optional one is missing."""
    parameters = function["parameters"]
    properties, required = parameters["properties"], parameters.get("required", [])
    if rng.random() < 0.2:
        items = list(properties.items())
        for name, kind, description in rng.sample(SPARE, rng.choice([1, 1, 2, 2, 3, 4])):
            if not any(name in key.lower() or key.lower() in name for key in properties):
                items.insert(len(items) if rng.random() < 0.7 else rng.randint(0, len(items)), (name, schema_of(kind, description)))
        parameters["properties"] = properties = dict(items)
    if rng.random() < 0.3:
        for name, schema in properties.items():
            if name in required or not schema.get("description") or rng.random() < 0.3:
                continue
            values = schema.get("enum") or DEFAULTS.get(schema.get("type"), ["none"])
            description = rng.choice(SHAPES).format(d=schema["description"].rstrip("."), v=rng.choice(values))
            properties[name] = {**schema, "description": description}
