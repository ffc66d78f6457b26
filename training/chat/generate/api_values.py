"""Plausible values for the parameters of API operations, told from their names, descriptions and types."""

import re

from generate.words import split_name
from slots import MONTHS

TEXTS = (
    "{Ready for review|Please call back before noon|Moved to the {room}|First draft|Replaces the old one|Looks good to me|Customer asked for a refund"
    "|Meeting with {person} on {day}|Waiting for parts|Short summary of the {event}|Do not ship before {day}|Closed by {first_name}|Test run"
    "|Everything about {topic}|Notes from {city}|Needs a second opinion|Delivery to {city} is late|Happy birthday, {first_name}|Thanks for your help"
    "|The {device} does not start|Weekly report|New prices from {month}|Sale ends on {day}|See you at {time24}|Only for the {department} team"
    "|Temporary, until {month}|Created for {company}|A guide to {hobby}|Big {animal} at the door|Updated by the night shift}"
)
TITLES = "{{book}|{movie}|{song}|{event}|{adjective} {noun}|{topic}|My {noun}|{Invented} {noun}|{month} {noun}|{hobby} for beginners|{product}}"
SLUG = "{{invented}-{noun}|{invented}|{noun}-{int:1-99}|{invented}_{invented#b}|{adjective}-{noun}|{Invented}|{noun}}"
IDENTIFIER = "{{code}|{code}|{int:100-99999}|{int:10000-9999999}|{order_id}|{invented}{int:1-99}|{invented}-{int:100-999}|{Invented}|{hex}|{noun}-{int:1-999}}"
NUMBER = "{int:10-99999}"
ARN = "arn:aws:{noun}:{us-east-1|us-west-2|eu-west-1|ap-south-1}:{int:100000000000-999999999999}:{noun#b}/{invented}"
# Words of the name (and, after "//", of the description) and what they ask for; the first that fits counts.
STRINGS = [
    (r"\barn$", ARN),
    (r"(?<!e.mail )\b(id|ids|uuid|guid|sid|uid|identifier)$", IDENTIFIER),
    (r"e ?mail|// .*e-?mail address", "{email}"),
    (r"phone|mobile|msisdn|\bfax\b", "{phone}"),
    (r"url|uri|website|webhook|callback|href|endpoint", "{url}"),
    (r"\bip\b|ip address", "{ip}"),
    (r"domain|host", "{{invented}.com|{invented}.org|www.{invented}.net|{invented}.io}"),
    (r"\bfile ?name|attachment|document name", "{filename}"),
    (r"\bpath\b|folder|directory", "{path}"),
    (r"language|locale|\blang\b", "{en|de|fr|es|pt|nl|sv|ja|pl|en-US|de-DE|fr-CA}"),
    (r"currency", "{USD|EUR|GBP|JPY|CHF|SEK|CAD|AUD|NOK|PLN|INR}"),
    (r"time ?zone|\btz\b", "{Europe/Berlin|America/New_York|Asia/Tokyo|UTC|Europe/London|Australia/Sydney|America/Chicago}"),
    (r"country code|// .*(two|2)-letter", "{US|DE|FR|GB|IT|ES|NL|SE|JP|CA|BR|IN|AU}"),
    (r"country|\bnation\b", "{country}"),
    (r"aws region|\bregion|// .*AWS Region", "{us-east-1|us-west-2|eu-west-1|eu-central-1|ap-south-1|{region}}"),
    (r"zip|postal|post code|postcode", "{int:10000-99999}"),
    (r"\bcity|town\b|locality|municipality", "{city}"),
    (r"street", "{street}"),
    (r"address", "{address}, {city}"),
    (r"airport", "{airport}"),
    (r"location|place\b|venue", "{{city}|{city}|{address}|{room}|{region}}"),
    (r"\b(start|begin|from|since|after)\b.*\b(date|time|day)|date (from|start)|^(since|from date|after|start|begin)$", "{isodate}"),
    (r"\b(end|until|before|to|due|expir\w*)\b.*\b(date|time|day|at)\b|^(until|before|end|due)", "{isodate#2}"),
    (r"ed (at|on)$|\bdate\b|birthday|\bdob\b|timestamp|created at|\bwhen\b", "{isodate}"),
    (r"\btime\b|hour", "{time24}"),
    (r"\bday\b|weekday", "{day}"),
    (r"month", "{month}"),
    (r"year", "{year:1990-2026}"),
    (r"first ?name|given ?name", "{first_name}"),
    (r"last ?name|surname|family ?name", "{last_name}"),
    (r"user ?name|login|handle|screen name|\bnick|\bactor\b", "{username}"),
    (r"(full|user|customer|contact|person|author|recipient|sender|employee|member|player|account|card ?holder|patient|student|artist|owner).* name", "{person}"),
    (r"company|organi[sz]ation name|brand|merchant name|vendor|manufacturer|publisher|supplier", "{company}"),
    (r"sort (order|direction|dir)|^order$|^direction$|order type", "{asc|desc|ascending|descending}"),
    (r"\bsort|order ?by", "{name|date|price|created|updated|title|size|popularity|rating}"),
    (r"\bfilter|where\b", "{status = {open|closed|active}|name:{invented}|created after {isodate}|type={noun}|owner:{username}|{noun}}"),
    (r"^(query|q|search|search (term|text|query)|keywords?|term|phrase|text query)$|query$|search|keyword", "{{topic}|{noun}|{product}|{hobby}|{adjective} {noun}|{Invented}|{dish}|{animal}}"),
    (r"message|comment|\bbody\b|\bnote|description|\btext\b|reason|content\b|memo|remark|summary|caption|prompt", TEXTS),
    (r"title|subject|headline|display name|label$|heading", TITLES),
    (r"color|colour", "{color}"),
    (r"version|revision|release", "{version}"),
    (r"status|\bstate\b", "{active|inactive|open|closed|pending|draft|archived|approved|failed|done}"),
    (r"unit|metric", "{kilograms|meters|hours|pieces|liters|miles|percent}"),
    (r"isbn", "{isbn}"),
    (r"sku|serial|barcode|model", "{code}"),
    (r"symbol|ticker", "{{ABX|TRQ|NVO|KLM|QUE|ZRT|PLX}|{code}}"),
    (r"price|amount|cost|budget|total", "{amount}"),
    (r"genre", "{genre}"),
    (r"category|topic|theme|interest", "{{topic}|{noun}|{genre}|{hobby}}"),
    (r"\btags?\b|labels?\b", "{{noun}|{adjective}|{topic}|{color}}"),
    (r"role|permission", "{admin|editor|viewer|owner|guest|member|auditor}"),
    (r"department|division", "{department}"),
    (r"job|position", "{job}"),
    (r"team|club", "{team}"),
    (r"device|machine", "{{device}|{code}}"),
    (r"product|item name|article", "{product}"),
    (r"event name", "{event}"),
    (r"gender|sex\b", "{female|male|other}"),
    (r"\bsize\b|scale", "{small|medium|large|XL|{int:10-90}}"),
    (r"uuid|guid", "{hex}"),
    (r"\bids?\b|identifier|\bnumber\b|\bno\b|\bref|reference|\bcode\b|\bslug\b|\bsid\b|\buid\b|\bkey\b|external", IDENTIFIER),
    (r"repo|branch|project|bucket|cluster|namespace|workspace|group|queue|table|database|collection|stack|pipeline|channel|parent|app\b|application|instance|template|policy|profile|schema|index|feed", SLUG),
    (r"owner|user|customer|member|author|assignee|creator|person|contact|recipient|\bto\b|\bfrom\b|sender", "{{username}|{person}|{email}}"),
    (r"name", SLUG),
    (r"type|kind|mode|class|level|method|scope", "{{noun}|{adjective}|basic|standard|premium|custom|public|private|manual|internal}"),
]
INTEGERS = [
    (r"\bids?$|identifier", NUMBER),
    (r"year", "{year:1990-2026}"), (r"month", "{int:1-12}"), (r"\bday", "{int:1-28}"), (r"hour", "{int:1-23}"), (r"port\b", "{int:1024-9999}"),
    (r"limit|count|per page|page size|max|size|top|\bnum|results|quantity|amount of", "{int:1-100}"),
    (r"minute", "{int:5-90}"), (r"second|timeout|ttl|duration|interval|period|delay", "{int:5-3600}"), (r"\bage\b", "{int:18-90}"),
    (r"width|height|pixels?|length", "{int:40-2400}"), (r"percent|quality|priority|level|weight|score|rating", "{int:1-100}"),
    (r"price|amount|cost|total|budget", "{int:5-5000}"), (r"timestamp|\btime\b|date|epoch|since|until|start|end", "{int:1600000000-1900000000}"),
    (r"id\b|identifier|number|code|\bno\b|ref", NUMBER),
]
NUMBERS = [
    (r"lat", "{decimal:-60-70}"), (r"lon|lng", "{decimal:-170-170}"), (r"price|amount|cost|total|budget|balance|fee", "{amount}"),
    (r"percent|rate|ratio|probab|threshold|confidence", "{decimal:0-1}"), (r"radius|distance", "{decimal:1-50}"), (r"limit|count|max|size|\bid\b|number", "{int:1-200}"),
]
TABLES = {"string": STRINGS, "integer": INTEGERS, "number": NUMBERS}
DEFAULTS = {"string": "{{noun}|{Invented}|{invented}|{code}|{adjective} {noun}|{invented}-{noun}}", "integer": "{int:1-500}", "number": "{decimal:0-100}"}
# What a kind of value may be said with, without the parameter's name.
BARE = {
    "{city}": "in {}|for {}|near {}|around {}|from {}", "{country}": "in {}|for {}", "{email}": "for {}|of {}|with the address {}|with e-mail {}",
    "{isodate}": "on {}|for {}|from {}|as of {}|dated {}", "{isodate#2}": "until {}|by {}|up to {}", "{person}": "for {}|named {}|called {}",
    "{username}": "for {}|of user {}|by {}", "{company}": "at {}|for {}|by {}", "{color}": "in {}", "{url}": "at {}|from {}|for {}",
    "{airport}": "at {}|from {}", "{street}": "on {}", "{ip}": "at {}|for {}", "{year:1990-2026}": "from {}|in {}|for {}", "{first_name}": "for {}",
    TITLES: "called \"{}\"|titled \"{}\"|named {}|with the title {}|titled {}|\"{}\"", SLUG: "called {}|named {}|{}|'{}'|in {}|for {}",
    IDENTIFIER: "{}|number {}|no. {}|with ID {}|for {}|of {}|({})|ID {}", ARN: "{}|for {}|of {}|with the ARN {}", TEXTS: "saying \"{}\"|with the words \"{}\"|that says \"{}\"|with the text '{}'",
    "{path}": "in {}|under {}|at {}", "{filename}": "{}|from {}|named {}", "{team}": "for the {}", "{genre}": "in {}", "{month}": "in {}|for {}", "{product}": "for the {}|for a {}",
    "{department}": "in {}|for {}", NUMBER: "{}|number {}|#{}|with ID {}|for {}",
}


def template_of(param: dict) -> str:
    """The slots a parameter's values are made of."""
    words = " ".join(split_name(param["name"]))
    text = f"{words} // {param['description']}".lower()
    for pattern, template in TABLES[param["type"]]:
        target = text if "//" in pattern else words
        if re.search(pattern.lower() if "//" in pattern else pattern, target):
            return template
    if param["type"] == "string":
        for pattern, template in STRINGS[2:45]:
            if "//" not in pattern and re.search(pattern, param["description"].lower()) and len(param["description"].split()) < 7:
                return template
    return DEFAULTS[param["type"]]


def hexadecimal(rng) -> str:
    digits = "".join(rng.choice("0123456789abcdef") for _ in range(rng.choice([6, 8, 8, 12, 16, 24])))
    return f"{digits[:8]}-{digits[8:12]}" if len(digits) == 12 else digits


def spoken_date(rng, value: str) -> str:
    """An ISO date in words."""
    year, month, day = (int(part) for part in value.split("-"))
    return rng.choice(["{m} {d}, {y}", "{d} {m} {y}", "the {d}th of {m} {y}" if 3 < day < 21 else "{m} {d}, {y}", "{s} {d}, {y}"]).format(m=MONTHS[month - 1], s=MONTHS[month - 1][:3], d=day, y=year)
