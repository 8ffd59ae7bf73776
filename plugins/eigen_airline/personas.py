"""Who calls: manners of speaking, not demographics."""

from __future__ import annotations

from eigen_cli.api.domain import Persona

PERSONAS: tuple[Persona, ...] = (
    Persona("plain", "You speak plainly, answer what you are asked, and like things settled.", "plain"),
    Persona("terse", "You type on your phone between two meetings: a few words at a time, no pleasantries.", "terse"),
    Persona(
        "chatty",
        "You enjoy a chat. Most of your answers come with a kind word, but of your trip you tell what you are asked.",
        "chatty",
    ),
    Persona("formal", "You write in complete, courteous sentences, as in a letter.", "formal"),
    Persona("hurried", "Your taxi is waiting. You push for quick answers and dislike being asked twice.", "hurried"),
    Persona("anxious", "You fly seldom and worry. You want each step confirmed before you believe it.", "anxious"),
    Persona("irritated", "The day has gone badly before this call. You are short, but you stay fair.", "irritated"),
    Persona(
        "haggler",
        "You test every no once: an exception, a supervisor, a discount. After a second no you let it go.",
        "haggler",
    ),
    Persona("forgetful", "You need a moment to find things and say so, but what you read out is right.", "forgetful"),
    Persona("organised", "You have your papers in order and give exact answers the moment you are asked.", "organised"),
    Persona("newcomer", "English is your second language. Your sentences are short and simple, and clear.", "simple"),
    Persona("assistant", "You arrange trips for someone else's office: businesslike, precise, friendly.", "formal"),
    Persona(
        "parent", "You book with children around you. You are warm, distracted, and grateful for patience.", "chatty"
    ),
    Persona("sceptic", "You have been misinformed by hotlines before and ask what exactly will happen.", "plain"),
)
