"""Documentation: heading -> section, and headings made into the questions that people ask."""

import re
import zlib

from .repository import Repository
from .text import cut, squeeze

# Headings that say nothing without the page's title, and those whose sections hold only links.
PLAIN = set("""examples|example|syntax|value|values|parameters|return value|description|notes|usage|overview|introduction|summary
before you begin|what's next|objectives|cleanup|clean up|prerequisites|exceptions|attributes|options|html|css|javascript|result|remarks
formal definition|next steps|about|accessibility|instance properties|instance methods|static methods|synopsis|recap|methods|properties
requirements|limitations|permissions|arguments|example 1|example 2|considerations|procedure|steps|return types|troubleshooting""".replace("\n", "|").split("|"))
LINKS = {"see also", "specifications", "browser compatibility", "further reading", "formal syntax", "related content", "next step",
         "related articles", "additional resources", "resources", "references", "learn more", "community resources"}


def unmarked(text):
    """Markdown without code blocks, templates, links and marks."""
    text = re.sub(r"```.*?```|~~~.*?~~~|<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"\{\{<.*?>\}\}|\{\{%.*?%\}\}|\{%.*?%\}", " ", text, flags=re.S)
    text = re.sub(r"\{\{\s*(?:Previous|Next|Sidebar|Quick|Embed|Compat|Spec)\w*\(.*?\)\s*\}\}", " ", text, flags=re.I)
    text = re.sub(r"\{\{\s*\w+\(\s*[\"']([^\"']+)[\"'].*?\)\s*\}\}", r"\1", text)
    text = re.sub(r"\{\{.*?\}\}|\{#.*?#?\}|^:::.*$|^>\s*\[![A-Z]+\]", " ", text, flags=re.S | re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]+)\](\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"</?[A-Za-z][^>]*>|^\s*\|?[\s:|-]+\|?\s*$", " ", text, flags=re.M)
    text = re.sub(r"(?<!\w)[*`_]{1,3}(\S)", r"\1", text)
    return re.sub(r"(\S)[*`]{1,3}", r"\1", text)


def from_rst(text):
    text = re.sub(r"^\.\. .*$|^\s+:\w+:.*$", "", text, flags=re.M)
    text = re.sub(r":[\w:]+:`~?([^`<]+?)(\s*<[^>]*>)?`", r"\1", text)
    return re.sub(r"^(\S.*)\n([=\-~^\"'*])\2{2,}\s*$", r"## \1", text, flags=re.M)


def from_asciidoc(text):
    text = re.sub(r"^//.*$|^(ifdef|ifndef|endif|include|toc|:\w).*$|^\[.*\]$|^(----|====|\+|\|===)$", "", text, flags=re.M)
    text = re.sub(r"(link|xref):[^\[]*\[([^\]]*)\]", r"\2", text)
    return re.sub(r"^=+ (.+)$", r"## \1", text, flags=re.M)


def from_sgml(text):
    text = re.sub(r"<programlisting>.*?</programlisting>|<indexterm.*?</indexterm>|<screen>.*?</screen>", " ", text, flags=re.S)
    text = re.sub(r"<title>(.*?)</title>", lambda m: f"\n## {squeeze(m[1])}\n", text, flags=re.S)
    return re.sub(r"&\w+;", lambda m: {"&lt;": "<", "&gt;": ">", "&mdash;": "-", "&amp;": "&"}.get(m[0], " "), text)


def sections(text, form):
    """(title, heading, body) of every section of a page."""
    front, title = re.match(r"^\ufeff?---\r?\n(.*?)\n---\r?\n", text, re.S), ""
    if front:
        found = re.search(r"^title:\s*(.+)$", front[1], re.M)
        title = squeeze(found[1]).strip("'\" ") if found else ""
        text = text[front.end():]
    parts = re.split(r"^#{1,5}\s+(.+?)\s*#*$", unmarked(form(text)), flags=re.M)
    title = title or (squeeze(parts[1]) if len(parts) > 1 else "")
    yield title, "", parts[0]
    for heading, body in zip(parts[1::2], parts[2::2]):
        yield title, squeeze(heading), body


def asked(title, heading, body):
    """What one would type to find this section: the heading, the title with it, or a question made of them."""
    title = re.sub(r"\s*[|-]\s*(Microsoft|Azure|Windows|\.NET|SQL Server|Visual Studio|C\+\+).*$", "", title)
    if not heading or heading.lower() == title.lower() or heading.lower() in ("description", "overview", "introduction", "summary", "about"):
        return title
    if heading.lower() in PLAIN:
        return f"{title}: {heading}"
    way = zlib.crc32(f"{heading} {body[:80]}".encode()) % 5
    verb = re.match(r"(Add|Creat|Configur|Us|Remov|Delet|Updat|Chang|Sett|Install|Manag|Runn|View|Enabl|Disabl|Writ|Build|Deploy|Test)\w*ing ", heading)
    imperative = re.match(r"(Add|Create|Configure|Use|Remove|Delete|Update|Change|Set|Install|Manage|Run|View|Enable|Disable|Write|Build|Deploy|Test) ", heading)
    if way < 2 and imperative:
        return f"how do I {heading[0].lower()}{heading[1:]}" + (f" in {title}" if way else "") + "?"
    if way < 2 and verb:
        return f"{heading[0].lower()}{heading[1:]} {title}"
    return (heading, f"{title}: {heading}", f"{heading} {title}", heading, f"{title} {heading}")[way]


def pages(name, under, pattern, form=lambda text: text, longest=600, only=""):
    """`only`: a pattern that a page must hold, where the licence is stated page by page."""
    def take(mirrors):
        seen = set()
        for _, text in Repository(mirrors, name).texts(under, pattern):
            if not re.search(only, text):
                continue
            for title, heading, body in sections(text, form):
                body = cut(re.sub(r"\s\|\s", " ", body), longest)
                if len(body) < 100 or not title or heading.lower() in LINKS or body in seen:
                    continue
                seen.add(body)
                yield asked(title, heading, body), body, True
    return take


def functions(mirrors):
    """What a function does -> its name and the beginning of its page."""
    for _, text in Repository(mirrors, "stdlib-js/stdlib").texts("lib/node_modules/@stdlib", r"README\.md$"):
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        quote = re.search(r"^>\s*(.+)$", text, re.M)
        title = re.search(r"^# (.+)$", text, re.M)
        usage = re.search(r"^## Usage\s+```\w*\n(.*?)```(.*?)(?=^## |\Z)", text, re.S | re.M)
        if quote and title and usage:
            body = squeeze(f"{title[1]} {usage[1]} {unmarked(usage[2])}")[:450]
            yield re.sub(r"\[([^\]]*)\]\[[^\]]*\]|[*`]", r"\1", squeeze(quote[1])), body, False
