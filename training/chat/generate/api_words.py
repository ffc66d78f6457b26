"""Turns the descriptions of API operations into what people ask for: a verb, a thing, and values for the parameters."""

import re
from dataclasses import dataclass

from generate.words import split_name

# What people say for a verb of a description; {} is the thing.
SAID = {
    "get": "get {}|show me {}|pull up {}|look up {}|fetch {}|give me {}|find {}|check {}|bring up {}|let me see {}|tell me {}|open {}|read {}|display {}|dig out {}|grab {}",
    "list": "list {}|show me {}|give me {}|get me {}|list out {}|pull up {}|fetch {}|go through {}|display {}|see {}|enumerate {}|look up {}",
    "search": "search {}|look through {}|search for {}|look for {}|find {}|run a search on {}|hunt down {}|query {}",
    "create": "create {}|make {}|set up {}|add {}|put in {}|start {}|open {}|build {}|prepare {}|generate {}",
    "add": "add {}|put in {}|include {}|attach {}|insert {}",
    "delete": "delete {}|remove {}|get rid of {}|erase {}|drop {}|take down {}|wipe {}|clear out {}|throw out {}",
    "remove": "remove {}|delete {}|take away {}|get rid of {}|drop {}|take out {}",
    "update": "update {}|change {}|edit {}|modify {}|adjust {}|revise {}|make changes to {}",
    "set": "set {}|change {}|adjust {}|configure {}|put in place {}",
    "send": "send {}|send out {}|send off {}|dispatch {}|deliver {}",
    "cancel": "cancel {}|call off {}|stop {}|abort {}",
    "start": "start {}|begin {}|kick off {}|launch {}|run {}|set off {}",
    "stop": "stop {}|end {}|halt {}|shut down {}|finish {}",
    "enable": "enable {}|turn on {}|switch on {}|activate {}",
    "disable": "disable {}|turn off {}|switch off {}|deactivate {}",
    "check": "check {}|verify {}|test {}|have a look at {}",
    "upload": "upload {}|put up {}|send in {}",
    "download": "download {}|save {}|get {}|fetch {}",
    "register": "register {}|sign up {}|enroll {}",
    "associate": "associate {}|link {}|connect {}|tie {}",
}
SAME = {
    "retrieve": "get", "return": "get", "fetch": "get", "read": "get", "show": "get", "view": "get", "describe": "get", "obtain": "get",
    "display": "get", "provide": "get", "give": "get", "load": "get", "receive": "get", "lookup": "get", "access": "get", "see": "get",
    "enumerate": "list", "browse": "list", "find": "search", "query": "search", "modify": "update", "edit": "update", "change": "update",
    "patch": "update", "make": "create", "insert": "add", "generate": "create", "erase": "delete", "destroy": "delete", "drop": "delete",
    "begin": "start", "initiate": "start", "launch": "start", "verify": "check", "test": "check", "activate": "enable", "deactivate": "disable",
    "terminate": "stop", "attach": "add", "put": "set", "configure": "set", "replace": "update", "post": "create",
}
VERBS = set(SAID) | set(SAME) | set(
    "accept acknowledge adjust allocate allow analyze append apply approve archive assign authorize backup ban batch block book build bulk "
    "buy calculate call capture charge clear clone close collect combine commit compare complete compute confirm connect convert copy count "
    "debug decline decrease define delegate deliver deploy deprovision deregister detach detect determine disassociate disconnect discover "
    "dismiss duplicate encrypt end estimate evaluate exchange execute expire export extend extract fill filter finalize finish flag follow "
    "force forward get-or-create grant group hide identify ignore import increase index ingest install invalidate invite invoke issue join "
    "kick label leave like link lock log map mark match merge migrate monitor move mute notify open order parse pause pay perform "
    "pin play poll predict preview print process promote provision publish pull purchase purge push queue rate rebuild recognize recommend "
    "record recover redeem refresh refund reject release reload rename render renew reopen reorder request resend reserve reset "
    "resize resolve restart restore resume retry revert review revoke rotate run save scan schedule select share sign simulate sort split "
    "star submit subscribe suspend swap switch sync synchronize tag take track train transfer transform translate trigger unarchive unassign "
    "unblock undelete undeploy undo unfollow uninstall unlink unlock unmute unpin unpublish unregister unshare unsubscribe untag upgrade "
    "upsert use validate wait watch withdraw write".split()
)
LEADS = re.compile(
    r"^(?:(?:this|the)\s+(?:[\w-]+\s+){0,2}?(?:endpoint|operation|api|method|call|resource|request|service|action|function|route)s?\s+"
    r"(?:(?:can be|is|are)\s+(?:used|meant)\s+(?:to|for)|allows?\s+(?:you|users?|clients?|callers?|one)\s+to|lets\s+you|enables?\s+you\s+to|will|to)?\s*"
    r"|use\s+(?:this|the|it)\s*(?:[\w-]+\s+){0,2}?to\s+|(?:allows?|enables?)\s+(?:you|users?|the user|clients?|a user|an? \w+)\s+to\s+|lets\s+(?:you|users?)\s+"
    r"|used\s+to\s+|(?:api|method|endpoint|operation|request)\s+(?:to|for)\s+|you can\s+|grants? permissions? to\s+|provides? (?:the )?(?:ability|permission) to\s+|attempts? to\s+|try to\s+|asynchronously\s+|synchronously\s+)",
    re.I,
)
VAGUE = [
    (r"\s*\([^)]*\)", ""),
    (r"\b(the|a|an) (specified|given|provided|requested|supplied|referenced|specific|particular|single|indicated|chosen|selected) ", r"\1 "),
    (r"\b(specified|given|provided|requested|supplied) (?!(an?|the|its|their|your|that|by)\b)", ""),
    (r",? (identified|specified|given|determined|referenced|selected|denoted) by .*$", ""),
    (r",? (by|using|with|based on|given|for|from|via|matching)( an?| the| its| their| that| your)?( \w+)? (ids?|uuid|identifiers?|keys?|slug|arn|index|names?|number|code|username|e-?mail|handle|parameters?|params|filters?|criteria)$", ""),
    (r",? (in|for|from|to) (your|the|an?)( \w+)? (AWS |Amazon Web Services )?(account|parent|request|tenant|caller)$", ""),
    (r",? and (returns?|gets?|retrieves?|sends?|provides?) .*$", ""),
    (r",( an?| which| including| such as| if| but| where| so| along| as| or| and) .*$", ""),
    (r" (you specify|that you specify|that are specified)\b.*$", ""),
    (r"\bAmazon Web Services\b", "AWS"),
    (r"\s*/\s*", " or "),
    (r"\b(resource|object|entity|instance|record)s? (?=(for|in|of|with)\b)", ""),
]
CUT = re.compile(r" (?:of|for|in|from|with|by|to|on|that|which|using|and|or|within|based|associated|belonging|at|as|into|available|via|through|whose|where|if|under|about|per|over|between|after|before|during|without|containing|including|against|matching|when|are|is|you|across|has|have|currently|given|like|but|so|he|your|created|used|owned|specified)\b")
SMALL = set("a an the all one any some new existing single list details detail information info set number specific current available given your my its this each every existing additional multiple".split())
ACRONYMS = set("id ip url uri api arn sku vat db dns ssl tls sms vpc http html pdf csv json xml iso isbn uuid sso ssh vpn cpu gpu ram iam sql aws os ui pin qr bin iban bic sid gcs abac vm acl cidr mfa kms ami gid pk".split())

WRAPPED = re.compile(
    r"^(?:(?:the|an?|all|your|its)\s+)*(?:\w+\s+)?(?:list|details?|information|info|set|metadata|collection|array|page|properties|description|summary|copy|content|overview|version|instance)s?"
    r"\s+(?:of|about|for|on)\s+",
    re.I,
)
GENERIC = set("level state value count type name status history result results data settings setting number use access request response operation resource resources object entity item items order action change field fields content".split())


@dataclass
class Asked:
    """What an operation does, in the words of a request."""

    verb: str  # a key of SAID, another verb, or "" for a thing alone
    thing: str
    second: str = ""

    @property
    def kind(self) -> str:
        return SAME.get(self.verb, self.verb)

    def noun(self) -> str:
        """The thing's own name: "the list of all open orders of a shop" gives "open orders"."""
        text = WRAPPED.sub("", self.thing) if self.kind in ("get", "list", "search", "") else self.thing
        words = [word for word in CUT.split(text + " ")[0].split() if word.lower() not in SMALL and re.fullmatch(r"[A-Za-z][\w'-]*", word)]
        return "" if len(words) == 1 and words[0].lower() in GENERIC else " ".join(words[-3:])


def is_plural(noun: str) -> bool:
    return bool(re.search(r"(?<![sui])s$", noun))


def base(word: str) -> str | None:
    """The plain form of a verb as descriptions write it, or None."""
    word = word.lower()
    tries = [word]
    if word.endswith("ies"):
        tries.append(word[:-3] + "y")
    if word.endswith("es"):
        tries.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        tries.append(word[:-1])
    if word.endswith("ing"):
        tries += [word[:-3], word[:-3] + "e"]
    return next((one for one in tries if one in VERBS), None)


def spoken_case(text: str) -> str:
    """Titles and names of types the way people write them: "Delete OAuth Client" becomes "delete OAuth client"."""
    words = text.split()
    title = len(words) > 1 and sum(word[:1].isupper() for word in words) > len(words) * 0.6
    out = []
    for word in words:
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z]+", word)
        if re.fullmatch(r"([A-Z][a-z0-9]+){2,}s?|[a-z]+([A-Z][a-z0-9]+)+", word):
            word = " ".join(part.lower() for part in parts)
        elif "_" in word:
            word = word.replace("_", " ").lower()
        elif title and re.fullmatch(r"[A-Z][a-z'-]+[,;]?", word) and word not in ("Google", "Amazon", "Apple", "Slack", "Square", "GitHub"):
            word = word.lower()
        out.append(word)
    return " ".join(out)


def understood(description: str) -> Asked | None:
    """The request in a description; None where it cannot be told."""
    text = description.strip().rstrip(".!:; ")
    if re.search(r"\binstead\b", text, re.I):
        return None
    for _ in range(2):
        text = LEADS.sub("", text, count=1).strip()
    more = re.search(r",? and (\w+s) ", text)
    if more and base(more.group(1)):
        text = text[: more.start()]
    for pattern, into in VAGUE:
        text = re.sub(pattern, into, text, flags=re.I).strip(" ,;")
    first, _, rest = text.partition(" ")
    if first.lower().endswith("ly") and rest:
        first, _, rest = rest.partition(" ")
    verb, second = base(first.rstrip(",")), ""
    if first.lower().endswith("ing") and not re.match(r"(an?|the|all|one|your)\b", rest):
        verb = None
    if verb:
        more = re.match(r"(?:,?\s*(?:and|or)\s+)(\w+)\s+(.*)", rest)
        if more and base(more.group(1)):
            second, rest = base(more.group(1)), more.group(2)
        elif not rest or re.match(r"(and|or|up|out|in|over|back|off|by|for|with|from|to|if|is|whether|how|on|at|as|of|service|data|request|response|operation|method|endpoint)\b", rest, re.I):
            return None
        rest = spoken_case(rest)
        return Asked(verb, rest[:1].lower() + rest[1:] if base_word(rest) else rest, second)
    strange = re.match(r"([A-Za-z]{4,}?)s? ((?:an?|the|all|your|one|its)\b.+)", text)
    if strange and not re.match(r"(list|details|all|with|from|this|information|data|status|count|number)", text, re.I):
        return Asked(strange.group(1).lower(), spoken_case(strange.group(2)))
    if re.match(r"(if|when|note|warning|deprecated|see|for|by|in|to|with|this|these|it|you|we|beta|use|returned|not|required|optional|only|incremental|existing|internal|post|put|\d)\b", text, re.I) or len(text.split()) > 9:
        return None
    if re.search(r"service$", text, re.I):
        return None
    if re.search(r"\b(is|are|was|will|has|have|can|must|should|does|do|be|returns?|creates?|gets?|deletes?|updates?|lists?)\b", text, re.I):
        return None
    text = spoken_case(text)
    text = re.sub(r"^(service|endpoint|operation|method) (for|of) ", "", text, flags=re.I)
    return Asked("", text[:1].lower() + text[1:] if base_word(text) else text)


def base_word(text: str) -> bool:
    """Whether the first word may be written small."""
    return bool(re.match(r"[A-Z][a-z]", text)) and not re.match(r"(Google|Amazon|Apple|Slack|Square|Git|AWS|Kubernetes|Facebook|Twitter|WhatsApp|Twilio|Asana|Android|Docker)", text)


def spoken_name(name: str) -> str:
    """A parameter's name as said."""
    words = []
    for word in split_name(name):
        word = {"num": "number", "desc": "description", "addr": "address", "lat": "latitude", "lng": "longitude", "lon": "longitude", "org": "organization", "repo": "repository", "qty": "quantity", "lang": "language", "cat": "category", "min": "minimum", "max": "maximum", "q": "query", "msg": "message", "img": "image", "src": "source", "dest": "destination", "ids": "IDs", "per": "per"}.get(word, word)
        words.append(word.upper() if word in ACRONYMS else word)
    return " ".join(words)
