"""Words by which names of people are told from other words, in English, Spanish and Chinese."""

import re
from typing import Final

from bot.stream.relation_words import OTHER_WORDS

ALSO_WORDS: Final = frozenset(
    """will may mark hope grace bill rose joy art sue pat dawn faith amber chase frank jack june
    april august max dean drew gene grant heath ivy jade lance miles nick norm penny ray rich rob
    rusty sandy skip summer autumn ward warren sol luz mar paz rosa blanca dolores""".split()  # noqa: SIM905
)
"""Names that are words as well: at the beginning of a sentence they are taken for words."""

NO_PERSON: Final = frozenset(
    """i a an the this that these those there here he she it we you they his her its our my your
    and but or so if when then now today tomorrow yesterday tonight monday tuesday wednesday
    thursday friday saturday sunday january february march april june july august september october
    november december christmas easter god sir madam mum mom dad ok okay oh hey hi hello yes no
    please thanks sorry well what who where why how which everyone everybody someone somebody
    anyone nobody people el la los las un una y pero no sí hoy mañana ayer lunes martes miércoles
    jueves viernes sábado domingo dios mi tu su i'm i've i'll i'd it's he's she's that's there's
    let's don't didn't english french german spanish chinese""".split()  # noqa: SIM905
)

_RELATIONS: Final = "|".join(map(re.escape, OTHER_WORDS))
_KIND: Final = (
    r"(?:(?:best|good|dear|old|older|elder|younger|little|big|twin|half|new|mejor|gran)\s+){0,2}"
)
NAME: Final = r"(?P<name>[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:['’-][^\W\d_]+)*(?:\s+[A-ZÀ-ÖØ-Þ][^\W\d_]+)?)"

INTRODUCED: Final = re.compile(
    r"\b(?i:(?:named|by\s+the\s+name\s+of|que\s+se\s+llama|llamad[oa]|(?:guy|man|woman|girl|boy|kid"
    rf"|person|somebody|someone|{_RELATIONS})\s+called|some|another|a\s+different|a\s+certain"
    r"|un\s+tal|una\s+tal|otr[oa]"
    rf"|(?:a|an|some|another)\s+{_KIND}(?:guy|man|woman|girl|boy|kid|person|{_RELATIONS}),?))"
    rf"\s+{NAME}"
)
"""Somebody who was not spoken of before."""

OTHER: Final = re.compile(r"\b(?i:the\s+other|not\s+that|(?:el|la)\s+otr[oa])\s+" + NAME)
"""Not the one who was meant last."""

OWN_RELATION: Final = re.compile(
    rf"\b(?i:my|our|mi|nuestr[oa])\s+(?i:{_KIND})(?P<word>(?i:{_RELATIONS})),?\s+{NAME}"
)

OF_A_PERSON: Final = (
    re.compile(
        NAME + r"(?:\s+(?i:just|has|have|had|is|was|already|also|really|ya|se|ha|va\s+a))*\s+"
        r"(?i:said|says|told|tells|asked|asks|thinks|thought|wants|wanted|moved|moving|moves"
        r"|married|marr(?:y|ies|ying)|got|engaged|divorc\w+|quit|quits|resigned|lives|lived|works"
        r"|worked|knows|knew|likes|loves|hates|called|texted|wrote|cried|laughed|fell"
        r"|lost\s+(?:his|her)|hired|fired|promoted|retired|pregnant|ill|sick|back|coming|dice|dijo"
        r"|quiere|vive|trabaja|muda|mudó|casa|casó)\b"
    ),
    re.compile(
        r"\b(?i:ask|asked|tell|told|met|marry|married|kissed|phoned|texted|pregúntale\s+a|dile\s+a)"
        rf"\s+{NAME}"
    ),
    re.compile(
        rf"(?<!\bin )(?<!\bto )(?<!\bat )(?<!\bof )(?<!\bfrom )(?<!\bnear ){NAME}\s+and\s+I\b"
    ),
    OWN_RELATION,
    INTRODUCED,
)
"""Signs that a capitalised word names somebody."""

GREETING: Final = frozenset(
    """hey hi hello oh thanks dear hola oye gracias so well bye goodnight sorry please no yes ok
    okay 你好 嗨""".split()  # noqa: SIM905
)
