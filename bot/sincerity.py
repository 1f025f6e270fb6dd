"""Whether somebody asks in earnest if they talk to a program (or person), or jokes about it.

In earnest, a persona does not claim to be human. Patterns in the languages of the personas
that come with Bower; in others the sentence in the prompt is all there is.
"""

import re

_ASKED = re.compile(
    r"""
    \b(are|r)\s+(you|u|ya)\s+(just\s+|actually\s+|really\s+|even\s+|some\s+kind\s+of\s+|like\s+)*
        (an?\s+|the\s+)?(ro)?(bot|ai|a\.i\.|artificial|program|programme|machine|computer|
        software|language\s+model|llm|chatbot|chatgpt|gpt|human|real|person|real\s+person|alive)\b
    | \bam\s+i\s+(really\s+)?(talking|speaking|chatting|writing)\s+(to|with)\s+(an?\s+)?
        (ro)?(bot|ai|program|machine|computer|human|person|real\s+person)\b
    | \b(is|are)\s+(this|there)\s+(really\s+)?(an?\s+)?(ro)?(bot|ai|human|person|real\s+person)\b
    | \beres\s+(de\s+verdad\s+|realmente\s+|solo\s+)*(un\s+|una\s+)?(ro)?(bot|ia|programa|
        m[aá]quina|humano|humana|persona|real|inteligencia\s+artificial)\b
    | \b(es|ser[aá])\s+usted\s+(de\s+verdad\s+|realmente\s+)*(un\s+|una\s+)?(ro)?(bot|ia|programa|
        m[aá]quina|humano|humana|persona)\b
    | \b(estoy\s+)?hablando\s+con\s+(un\s+|una\s+)?(ro)?(bot|ia|m[aá]quina|programa|persona)\b
    | (你|您)(到底|其实|真的|究竟)*(是|不是|是不是)(一个|个)?
        (机器人|人工智能|AI|ai|程序|真人|人类|真的人|语言模型|模型|聊天机器人|人)(吗|嗎|么|呢|还是|\?|？|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOKED = re.compile(
    r"\b(lol|lmao|haha+|hehe+|jaja+|jk|just kidding|kidding|es broma)\b|[😂🤣😜😝😹]|哈哈|开玩笑",
    re.IGNORECASE,
)


def asks_in_earnest(text: str) -> bool:
    """Whether the text is a sincere question about being a program or a human."""
    return _ASKED.search(text) is not None and _JOKED.search(text) is None
