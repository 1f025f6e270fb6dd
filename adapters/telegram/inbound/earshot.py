"""What Telegram lets a bot hear: privacy mode, in sentences."""

from telegram import User

from bot.messages import Earshot

HOW_TO_HEAR_MORE = (
    "To hear more, send /setprivacy to @BotFather and add the bot to the group again, or make "
    "it an admin there."
)


def about_privacy(me: User) -> str:
    """What the bot gets to see in groups, in a sentence."""
    if not me.can_join_groups:
        return "It cannot be added to groups (@BotFather: /setjoingroups)."
    if me.can_read_all_group_messages:
        return "Privacy mode is off: it sees everything that is said in its groups."
    return (
        "Privacy mode is on: in groups it sees only commands, mentions of its @name and replies "
        f"to it, unless it is an admin there. {HOW_TO_HEAR_MORE}"
    )


def earshot_in(me: User, *, in_group: bool, is_admin: bool) -> Earshot:
    """What is heard in a chat. `is_admin`: the bot is one in that group."""
    if not in_group:
        return Earshot(everything=True, said=about_privacy(me))
    if me.can_read_all_group_messages:
        said = "Privacy mode is off: the bot sees everything that is said here."
        return Earshot(everything=True, said=said)
    if is_admin:
        said = "Privacy mode is on, but the bot is an admin here and sees everything all the same."
        return Earshot(everything=True, said=said)
    return Earshot(
        everything=False,
        said="Privacy mode is on: the bot sees here only commands, mentions of its @name and "
        f"replies to it. {HOW_TO_HEAR_MORE}",
    )
