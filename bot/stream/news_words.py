"""Words by which hearsay is told from other talk, in English, Spanish and Chinese."""

import re

HEARD = re.compile(
    r"\b(?:(?:I|we)(?:'ve|’ve|\s+have)?\s+(?:just\s+)?(?:heard|read|was\s+told|were\s+told)"
    r"|(?:they|people|everyone|everybody)\s+(?:say|says|are\s+saying)|apparently|allegedly"
    r"|rumou?r\s+has\s+it|word\s+is|(?:someone|somebody)\s+(?:told\s+me|said)|breaking|news"
    r"|did\s+you\s+(?:hear|know)|(?:have\s+)?you\s+heard"
    r"|dicen\s+que|he\s+oído\s+que|me\s+dijeron\s+que|se\s+dice\s+que|por\s+lo\s+visto)\b"
    r"|听说|据说|有人说|他们说|大家都?说|传闻",
    re.IGNORECASE,
)
"""The speaker says that it comes from elsewhere."""

LEAD = re.compile(
    r"^\W*(?:.{0,40}?)(?:\bheard\b|\bhear\b|\bread\b|\btold\b(?:\s+me)?|\bsays?\b|\bsaying\b|\bsaid\b"
    r"|\bknow\b|\bapparently\b|\ballegedly\b|\bhas\s+it\b|\bword\s+is\b|\bbreaking\b|\bnews\b"
    r"|\bdicen\b|\boído\b|\bdijeron\b|\bdice\b|\blo\s+visto\b|听说|据说|有人说|他们说|大家都?说|传闻)"
    r"\s*(?:that|about|que|[:,，：])?\s*",
    re.IGNORECASE,
)
"""What stands before the statement itself."""

CHANGE = re.compile(
    r"\b(?:mov(?:ed|ing|es)|quit(?:s|ting)?|resign(?:ed|s|ing)|married|marr(?:y|ies|ying)"
    r"|engaged|divorc\w+|broke\s+up|split\s+up|died|dead|born|pregnant|arrested|fired|hired"
    r"|promoted|got|gets|getting|won|lost|los(?:es|ing)|clos(?:ed|es|ing)|open(?:ed|s|ing)"
    r"|sold|sells|selling|bought|buys|buying|left|leav(?:es|ing)|return(?:ed|s|ing)"
    r"|com(?:es|ing)\s+back|came\s+back|cancel(?:led|ed|s)|stole|stolen|hid(?:es|den|ing)?"
    r"|start(?:ed|s|ing)|stopp(?:ed|ing)|stops|broke|broken|burn(?:ed|t|ing)|sank|sunk|crashed"
    r"|found|ran\s+away|will|going\s+to|is\s+back"
    r"|se\s+(?:muda|mudó|casa|casó|va|fue)|murió|ha\s+muerto|va\s+a|dejó|perdió|ganó"
    r"|compró|vendió|cerró|cierra|abrió)\b"
    r"|搬|结婚|离婚|去世|死了|辞职|离开|走了|怀孕|关门|开张|买了|卖了|赢了|输了|丢了|生病|住院|要",
    re.IGNORECASE,
)
"""Something happens or happened."""

STATE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|lives?|works?|works|knows?|es|está|son|tiene|vive|trabaja)\b"
    r"|[是在有]",
    re.IGNORECASE,
)
"""Something is so: news only about people who are known, or where it was heard elsewhere."""

NO_TESTIMONY = re.compile(
    r"[?？]|吗|\b(?:if|whether|maybe|perhaps|might|(?-i:may)|could|would|should|wish|hope|imagine|suppose"
    r"|pretend|what\s+if|I\s+(?:think|guess|bet|believe|doubt|wonder|dreamed|dreamt)|probably"
    r"|jk|just\s+kidding|kidding|joking|joke|lol|lmao|rofl|haha+|hehe+|/s|once\s+upon"
    r"|si|quizás?|tal\s+vez|ojalá|creo|supongo|imagina|broma|jaja+|podría|sería"
    r")\b|[😂🤣😜😝]|如果|要是|也许|可能|大概|开玩笑|哈哈|我想|我猜|希望|假如",
    re.IGNORECASE,
)
"""Asked, joked, wished, guessed: nothing is claimed."""

OPINION = re.compile(
    r"\b(?:nice|lovely|beautiful|great|awful|terrible|boring|cool|funny|cute|good|bad|best|worst"
    r"|interesting|amazing|sweet|here|there|ready|fine|ok|okay|late|right|wrong|bonit[oa]|feo|genial|horrible|buen[oa]?|mal[oa]?)\W*$"
    r"|[好美棒]\W*$|漂亮|有意思",
    re.IGNORECASE,
)
"""A judgement at the end of a sentence is no news."""

SELF = re.compile(
    r"^\W*(?:I|I'm|I’m|I've|I’ve|we|we're|my\s+(?:name|job|birthday|age)|yo|nosotr[oa]s|me|nos)\b"
    r"|^\W*(?:我[^\u4e00-\u9fff]|我[是在有要的想去来会]|咱)",
    re.IGNORECASE,
)
"""Told about oneself: not hearsay."""

YOU = re.compile(r"^\W*(?:you|you're|you’re|tú|usted|vos|let's|let’s)\b|^\W*[你您]", re.IGNORECASE)

SENSITIVE = re.compile(
    r"\b(?:pregnan\w*|abort\w*|cancer|hiv|aids|ill(?:ness)?|sick|disease|depress\w*|suicid\w*"
    r"|hospital|rehab|drunk|alcoholi\w*|addict\w*|drugs?|therap\w*|diagnos\w*|disab\w*|died|dead"
    r"|sex\w*|gay|lesbian|trans(?:gender)?|affair|cheat(?:ed|ing|s)|naked|nudes?|virgin"
    r"|muslim|jew\w*|christian|catholic|hindu|atheist|religio\w*|church|mosque"
    r"|vote[sd]?|votes|republican|democrat|communist|fascist|nazi|party\s+member|politic\w*"
    r"|arrest\w*|prison|jail|stole|stolen|steal\w*|theft|murder\w*|rape[sd]?|crim\w+|police"
    r"|convict\w*|debts?|broke|bankrupt\w*|salary|wage|owes?|money|gambl\w*|divorc\w*"
    r"|fired|race|racist|immigra\w*|deport\w*|asylum"
    r"|embaraz\w*|enferm\w*|cáncer|drogas?|borrach\w*|cárcel|robó|robar|policía|deudas?|dinero"
    r"|divorci\w*|amante|iglesia|votó|murió|muert[oa])\b"
    r"|怀孕|流产|癌|生病|得病|住院|抑郁|自杀|吸毒|酗酒|同性恋|出轨|信教|教会|政治|投票|坐牢|警察|偷"
    r"|犯罪|杀|欠债|破产|工资|赌|离婚|去世|死了",
    re.IGNORECASE,
)
"""Health, sex, religion, politics, crime, money and the like: never raised with anybody."""

QUOTED = re.compile(
    r"^>.*$|[\"“”«»「」『』][^\"“”«»「」『』\n]{2,400}[\"“”«»「」『』]", re.MULTILINE
)
NARRATED = re.compile(
    r"(?<!\*)\*++[^*\n]{1,800}\*+|(?<!\w)_[^_\n]{3,800}_(?!\w)|（[^）\n]{1,200}）"
)
"""Other people's words, and role play: both are cut out."""
