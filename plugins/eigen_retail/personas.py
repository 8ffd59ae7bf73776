"""Who calls: manners of speaking, not demographics."""

from __future__ import annotations

from eigen_cli.api.domain import Persona

PERSONAS: tuple[Persona, ...] = (
    Persona("even", "You speak calmly and to the point, and answer exactly what you are asked.", "plain"),
    Persona("clipped", "You write in fragments. Three words where others use ten.", "terse"),
    Persona(
        "storyteller", "Every thing you bought has a story, and a sentence of it slips out now and then.", "chatty"
    ),
    Persona("correspondent", "You write as in a letter to a bank: whole sentences, every courtesy in place.", "formal"),
    Persona("on_the_go", "You call between two bus stops and want this settled before the next one.", "hurried"),
    Persona(
        "worrier", "You fear that something will go wrong with your money, and ask for each step twice.", "anxious"
    ),
    Persona("let_down", "The last parcel was late and you have not forgotten it. You are curt, never rude.", "annoyed"),
    Persona("sunny", "You are in a good mood, thank people readily and take a no with a shrug.", "friendly"),
    Persona("bargainer", "You try once whether a rule has a gap. When it has none, you drop the matter.", "plain"),
    Persona(
        "keeper_of_lists", "Your purchases are in a spreadsheet and you read from it without hesitation.", "formal"
    ),
    Persona(
        "rummager", "Your papers are in a drawer. You need a moment for each thing, but then it is right.", "chatty"
    ),
    Persona("learner", "English is new to you. You use short, plain sentences and few adjectives.", "terse"),
    Persona("giver", "You buy presents for a large family and speak warmly of whoever it is for.", "friendly"),
)
"""Their styles are those that simulated users know."""
