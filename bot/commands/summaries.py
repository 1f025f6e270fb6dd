"""What commands do, in the languages of menus other than English. The commands themselves, and
their answers, are in English."""

from collections.abc import Mapping

from bot.commands.call import CommandSpec

SUMMARIES: Mapping[str, Mapping[str, str]] = {
    "es": {
        "help": "Lo que puedes escribir aquí.",
        "about": "Con qué estás hablando.",
        "why": "Qué se recordó para la última respuesta, y por qué.",
        "memories": "Tus propias palabras, tal como se guardan.",
        "forget": "Borrar tus palabras para siempre; antes muestra qué se borraría.",
        "export": "Tus palabras y las respuestas, en un archivo.",
        "privacy": "Qué se guarda de ti, y cómo quedar fuera.",
        "correct": "Corregir un dato sobre ti.",
        "relationship": "Lo cerca que estáis, y cómo se llegó a eso.",
        "people": "Quién ha hablado aquí.",
        "claims": "Lo que aquí son solo rumores, y en qué están.",
        "scene": "Lo que hay aquí, y desde cuándo.",
        "mood": "Cómo se siente el personaje aquí.",
        "reroll": "Pedir otra respuesta a tu último mensaje.",
        "undo": "Deshacer tu último intercambio.",
        "link": "Unir tus cuentas de aquí y de otra plataforma.",
        "unlink": "Volver a separar tus cuentas.",
        "persona": "Quién habla aquí: listar, mostrar o elegir.",
        "settings": "Lo que rige aquí, y cambiarlo.",
        "mute": "Hacer que se ignore a alguien; sin nombre, la lista.",
        "unmute": "Hacer que se le vuelva a responder.",
        "pause": "Nadie recibe respuesta ni se guarda nada hasta /resume.",
        "resume": "Terminar /pause.",
        "reset": "Olvidar todo lo dicho aquí; antes muestra qué se borraría.",
        "stats": "Mensajes, personas y llamadas al modelo aquí.",
        "budget": "Cuántos tokens se pueden gastar aquí en un día.",
    },
    "zh": {
        "help": "在这里可以输入什么。",
        "about": "你在和什么说话。",
        "why": "上一次回答想起了什么，为什么。",
        "memories": "保存下来的你自己的话。",
        "forget": "永久删除你的话；会先显示将删除什么。",
        "export": "把你的话和回答导出为文件。",
        "privacy": "保存了你的什么，以及如何退出。",
        "correct": "更正关于你自己的一件事。",
        "relationship": "你们有多亲近，是怎么走到这一步的。",
        "people": "谁在这里说过话。",
        "claims": "这里有哪些只是传闻，进展如何。",
        "scene": "这里有什么，有多久了。",
        "mood": "角色在这里的心情。",
        "reroll": "让你的上一条消息得到新的回答。",
        "undo": "撤回你的上一次对话。",
        "link": "把你在这里和其他平台的账号连在一起。",
        "unlink": "把连在一起的账号重新分开。",
        "persona": "谁在这里说话：列出、查看或选择。",
        "settings": "这里的设置，以及如何更改。",
        "mute": "不再理会某个成员；不写名字则列出名单。",
        "unmute": "重新回答某个成员。",
        "pause": "在 /resume 之前不回答任何人，也不保存新内容。",
        "resume": "结束 /pause。",
        "reset": "忘记这里说过的一切；会先显示将删除什么。",
        "stats": "这里的消息、人数和模型调用。",
        "budget": "这里一天可以用多少 token。",
    },
}
"""By language (ISO 639-1), then by command."""


def summary_in(language: str, spec: CommandSpec) -> str:
    """What a command does, in that language if it is known there, otherwise in English."""
    return SUMMARIES.get(language, {}).get(spec.name, spec.summary)
