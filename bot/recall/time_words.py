"""The words for times in English, Spanish and Chinese, folded, and the patterns they stand in."""

import unicodedata
from typing import Final


def fold(text: str) -> str:
    """Lower case without accents, of the same length as the text's own characters."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


_MONTH_NAMES: Final = (
    "january jan enero",
    "february feb febrero",
    "march mar marzo",
    "april apr abril",
    "may mayo",
    "june jun junio",
    "july jul julio",
    "august aug agosto",
    "september sept sep septiembre setiembre",
    "october oct octubre",
    "november nov noviembre",
    "december dec diciembre",
)
MONTHS: Final = {
    name: number for number, row in enumerate(_MONTH_NAMES, start=1) for name in row.split()
}
NUMBERS: Final = {
    word: number
    for number, row in enumerate(
        (
            "a an one un una uno 一",
            "two dos couple 两 二",
            "three tres few 三 几",
            "four cuatro 四",
            "five cinco 五",
            "six seis 六",
            "seven siete 七",
            "eight ocho 八",
            "nine nueve 九",
            "ten diez 十",
        ),
        start=1,
    )
    for word in row.split()
}
UNITS: Final = {
    **dict.fromkeys(("day", "days", "dia", "dias", "天", "日"), "day"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas", "周", "星期", "个星期", "礼拜"), "week"),
    **dict.fromkeys(("month", "months", "mes", "meses", "个月", "月"), "month"),
    **dict.fromkeys(("year", "years", "ano", "anos", "年"), "year"),
}
SEASONS: Final = {
    **dict.fromkeys(("spring", "primavera", "春天", "春季"), 3),
    **dict.fromkeys(("summer", "verano", "夏天", "夏季"), 6),
    **dict.fromkeys(("autumn", "fall", "otono", "秋天", "秋季"), 9),
    **dict.fromkeys(("winter", "invierno", "冬天", "冬季"), 12),
}
"""The month in which each begins."""

WEEKDAYS: Final = {
    word: number
    for number, row in enumerate(
        (
            "monday lunes 周一 星期一 礼拜一",
            "tuesday martes 周二 星期二 礼拜二",
            "wednesday miercoles 周三 星期三 礼拜三",
            "thursday jueves 周四 星期四 礼拜四",
            "friday viernes 周五 星期五 礼拜五",
            "saturday sabado 周六 星期六 礼拜六",
            "sunday domingo 周日 星期日 星期天 礼拜天 周天",
        )
    )
    for word in row.split()
}
RELATIVE: Final = {
    **dict.fromkeys(
        ("today", "this morning", "this afternoon", "this evening", "tonight", "hoy", "esta manana",
         "esta tarde", "esta noche", "今天", "今早", "今晚", "今日"), ("day", 0)),
    **dict.fromkeys(
        ("yesterday", "last night", "ayer", "anoche", "昨天", "昨晚", "昨日"), ("day", 1)),
    **dict.fromkeys(
        ("day before yesterday", "the day before yesterday", "anteayer", "antes de ayer", "前天"),
        ("day", 2)),
    **dict.fromkeys(("this week", "esta semana", "这周", "本周", "这个星期"), ("week", 0)),
    **dict.fromkeys(
        ("last week", "la semana pasada", "上周", "上个星期", "上星期", "上礼拜"), ("week", 1)),
    **dict.fromkeys(("this weekend", "este fin de semana", "这周末", "这个周末"), ("weekend", 0)),
    **dict.fromkeys(
        ("last weekend", "el fin de semana pasado", "上周末", "上个周末"), ("weekend", 1)),
    **dict.fromkeys(("this month", "este mes", "这个月", "本月"), ("month", 0)),
    **dict.fromkeys(("last month", "el mes pasado", "上个月", "上月"), ("month", 1)),
    **dict.fromkeys(("this year", "este ano", "今年"), ("year", 0)),
    **dict.fromkeys(("last year", "el ano pasado", "去年"), ("year", 1)),
    **dict.fromkeys(("year before last", "前年"), ("year", 2)),
}  # fmt: skip
"""Unit and how many of them back."""


def _either(words: dict[str, int] | dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_NAME = rf"(?P<month>{_either(MONTHS)})"
_CLEAR = rf"(?P<month>{_either({name: n for name, n in MONTHS.items() if name not in {'may', 'march', 'mar'}})})"  # noqa: E501
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"

DAY: Final = (
    rf"\b{_YEAR}-(?P<number>\d{{1,2}})-(?P<day>\d{{1,2}})\b",
    r"(?:(?P<year>\d{4})年)?(?P<number>\d{1,2})月(?P<day>\d{1,2})[日号]",
    rf"\b{_DAY}\s+(?:of\s+|de\s+)?{_NAME}\.?,?(?:\s+(?:del?\s+)?{_YEAR})?\b",
    rf"\b{_NAME}\.?\s+{_DAY}(?!\d)(?:,?\s+{_YEAR})?",
)
MONTH: Final = (
    rf"\b{_NAME}\.?,?\s+(?:of\s+|del?\s+)?{_YEAR}\b",
    rf"\b{_YEAR}-(?P<number>\d{{2}})\b(?!-)",
    r"(?:(?P<year>\d{4})年|(?<!个))(?P<number>\d{1,2})月份?(?!\d)",
    rf"\b(?:in|during|since|until|early|late|mid|(?P<last>last)|this|en)\s+{_NAME}\b",
    rf"\b{_CLEAR}\b(?=\W|$)(?<!\bsep)(?<!\bjan)(?<!\bjun)(?<!\bdec)(?<!\bnov)(?<!\boct)",
)
YEAR: Final = (rf"(?<![\d.,$€£-]){_YEAR}(?:年|(?![\d%]|\.\d|\s*(?:km|miles|people|euros)))",)
AGO: Final = (
    rf"\b(?P<count>\d{{1,3}}|{_either(NUMBERS)})\s+(?:of\s+)?(?P<unit>{_either(UNITS)})\s+ago\b",
    rf"\bhace\s+(?P<count>\d{{1,3}}|{_either(NUMBERS)})\s+(?P<unit>{_either(UNITS)})\b",
    rf"(?P<count>\d{{1,3}}|{_either(NUMBERS)})(?P<unit>{_either(UNITS)})(?:以?前)",
)
SEASON: Final = (
    r"(?P<relative>去年|今年|前年)(?P<season>春天|春季|夏天|夏季|秋天|秋季|冬天|冬季)",
    rf"(?:{_YEAR}年)(?P<season>春天|春季|夏天|夏季|秋天|秋季|冬天|冬季)",
    rf"\b(?P<season>spring|summer|autumn|fall|winter|primavera|verano|otono|invierno)"
    rf"\s+(?:of\s+|del?\s+)?{_YEAR}\b",
    r"\b(?P<last>last)\s+(?P<season>spring|summer|autumn|fall|winter)\b",
    r"\b(?:this|in|during|in the)\s+(?P<season>spring|summer|autumn|fall|winter)\b",
    r"\b(?P<season>primavera|verano|otono|invierno)\s+(?P<last>pasad[oa])\b",
    r"\b(?:est[ea]|en)\s+(?P<season>primavera|verano|otono|invierno)\b",
)
