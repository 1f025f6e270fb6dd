"""What a model writes as Markdown, as a text with the spans that Telegram can show."""

import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from adapters.telegram.outbound.spans import Span, Style, Styled, trimmed
from adapters.telegram.outbound.tables import as_columns

DEEPEST = 20
"""Blocks within blocks beyond this depth are no formatting any more, and shown as typed."""

LINKABLE = ("http://", "https://", "tg://", "mailto:")
BULLETS = "•◦▪"

_STYLES: dict[str, Style] = {"strong": "bold", "em": "italic", "s": "strikethrough"}


def styled(markdown: str) -> Styled:
    """The text as it is meant to look. Nothing that reads as a word is lost: what is no
    valid Markdown, and HTML, stay as typed. Never raises; blank only if the input is."""
    tokens = _MARKDOWN.parse(markdown)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return Styled(text=markdown.strip())
    writer = _Writer()
    writer.write(tokens)
    made = trimmed(writer.text, writer.spans)
    if not made.text or _loses_letters(markdown, made, tokens):
        return Styled(text=markdown.strip())
    return made


def _loses_letters(markdown: str, made: Styled, tokens: Sequence[Token]) -> bool:
    """Whether something is neither shown nor an address or a language: cells beyond the
    last column, for example."""
    inner = [child for token in tokens for child in token.children or []]
    hidden = [unquote(str(v)) for t in inner for k, v in t.attrs.items() if k != "alt"]
    hidden += [token.info for token in tokens]
    kept = Counter(c for c in "".join([made.text, *hidden]) if c.isalpha())
    return bool(Counter(c for c in unescape(markdown) if c.isalpha()) - kept)


def _star_between_digits(state: StateInline, silent: bool) -> bool:
    """2*3*4 is a sum, not emphasis."""
    around = state.src[max(state.pos - 1, 0) : state.pos + 2]
    if not re.fullmatch(r"\d\*\d", around):
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    parser.enable(["table", "strikethrough"])
    # indented text is verse or a list gone wrong; "[Note]: x" is no definition in a chat
    parser.disable(["code", "reference", "html_block", "html_inline"])
    parser.inline.ruler.before("emphasis", "star_between_digits", _star_between_digits)
    return parser


_MARKDOWN = _parser()


class _Writer:
    """Walks over tokens and writes text and spans."""

    def __init__(self) -> None:
        self.text = ""
        self.spans: list[Span] = []
        self._open: list[tuple[Style, int, str]] = []
        self._lists: list[int | None] = []  # the next number, None for bullets
        self._quotes = 0
        self._item_begun = False

    def write(self, tokens: Sequence[Token]) -> None:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "table_open":
                end = next(
                    n for n, t in enumerate(tokens) if n > position and t.type == "table_close"
                )
                self._table(tokens[position:end])
                position = end
            else:
                self._block(token)
            position += 1

    # -- blocks --------------------------------------------------------------------------
    def _block(self, token: Token) -> None:
        match token.type.rpartition("_"):
            case "", "", "inline":
                self._inline(token.children or [])
            case "", "", "fence":
                self._begin_block()
                language = token.info.split()[0] if token.info.strip() else ""
                self._span("pre", token.content.rstrip("\n") or token.info, language=language)
            case "", "", "hr":
                self._begin_block()
                self.text += "———"
            case ("heading" | "paragraph") as kind, _, side:
                self._line(token, is_heading=kind == "heading", begins=side == "open")
            case "blockquote", _, side:
                self._quote(begins=side == "open")
            case ("bullet_list" | "ordered_list") as kind, _, side:
                self._list(token, ordered=kind == "ordered_list", begins=side == "open")
            case "list_item", _, "open":
                self._item()

    def _line(self, token: Token, *, is_heading: bool, begins: bool) -> None:
        if begins:
            self._begin_block(tight=token.hidden)
        if is_heading and begins:
            self._begin("bold")
        elif is_heading:
            self._end("bold")

    def _quote(self, *, begins: bool) -> None:
        """Telegram knows no quote within a quote: the outermost is shown."""
        if not begins:
            self._quotes -= 1
            if self._quotes == 0:
                self._end("blockquote")
            return
        self._begin_block()
        self._quotes += 1
        self._item_begun = True  # its first block begins right here
        if self._quotes == 1:
            self._begin("blockquote")

    def _list(self, token: Token, *, ordered: bool, begins: bool) -> None:
        if not begins:
            self._lists.pop()
            return
        if not self._lists:
            self._begin_block()
        start = token.attrGet("start")
        self._lists.append(int(start if start is not None else 1) if ordered else None)
        self._item_begun = len(self._lists) == 1  # a nested list has its line to begin

    def _begin_block(self, *, tight: bool = False) -> None:
        """An empty line before a block, or a line break between the lines of a list."""
        if self._item_begun:
            self._item_begun = False
        elif self.text:
            self.text = self.text.rstrip("\n") + ("\n" if tight else "\n\n")
            if self._lists:
                self.text += "  " * len(self._lists)

    def _item(self) -> None:
        if not self._item_begun or (self.text and not self.text.endswith("\n")):
            self.text = self.text.rstrip("\n") + ("\n" if self.text else "")
        number = self._lists[-1]
        depth = len(self._lists) - 1
        if number is None:
            mark = BULLETS[min(depth, len(BULLETS) - 1)]
        else:
            mark = f"{number}."
            self._lists[-1] = number + 1
        self.text += f"{'  ' * depth}{mark} "
        self._item_begun = True

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append("".join(t.content for t in token.children or []))
        self._begin_block()
        self._span("pre", as_columns(rows))

    # -- within a line -------------------------------------------------------------------
    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind, _, side = token.type.rpartition("_")
            match token.type:
                case "text":
                    self.text += token.content
                case "softbreak" | "hardbreak":
                    self.text += "\n"
                case "code_inline":
                    self._span("code", token.content)
                case "link_open":
                    self._begin("text_link", url=str(token.attrGet("href") or ""))
                case "link_close":
                    self._end_link()
                case "image":
                    self._image(token)
                case _ if kind in _STYLES and side == "open":
                    self._begin(_STYLES[kind])
                case _ if kind in _STYLES:
                    self._end(_STYLES[kind])

    def _image(self, token: Token) -> None:
        self._begin("text_link", url=str(token.attrGet("src") or ""))
        self.text += token.content
        self._end_link()

    def _begin(self, style: Style, *, url: str = "") -> None:
        self._open.append((style, len(self.text), url))

    def _end(self, style: Style) -> str:
        """Closes the innermost open span of this style and returns its address."""
        at = next(n for n in reversed(range(len(self._open))) if self._open[n][0] == style)
        _, start, url = self._open.pop(at)
        if url.startswith(LINKABLE) or style != "text_link":
            self.spans.append(Span(style=style, start=start, end=len(self.text), url=url))
        return url

    def _end_link(self) -> None:
        start = next(s for style, s, _ in reversed(self._open) if style == "text_link")
        url = self._end("text_link")
        if url and (len(self.text) == start or not url.startswith(LINKABLE)):
            self.text += f" ({url})" if len(self.text) > start else url

    def _span(self, style: Style, content: str, *, language: str = "") -> None:
        start = len(self.text)
        self.text += content
        self.spans.append(Span(style=style, start=start, end=len(self.text), language=language))
