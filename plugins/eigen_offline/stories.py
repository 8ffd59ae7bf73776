"""Word banks for scenarios: who calls, from what moment of life, and how they behave. True of any service.

Nothing here may bear on what a task is about: a reason that a policy could weigh (illness, weather) belongs to a
template's facts.
"""

from __future__ import annotations

TRADES = (
    "a primary school teacher", "a violin maker", "a night-shift nurse", "a retired bus driver", "a pastry chef",
    "a structural engineer", "a freelance translator", "a veterinary assistant", "a radio presenter", "a bookkeeper",
    "a landscape gardener", "a graduate student in geology", "a football referee", "a museum guide",
    "a dental hygienist", "a paramedic", "a carpenter with two apprentices", "a court reporter",
    "a part-time librarian", "a potter", "a data analyst", "a florist", "a tugboat captain", "a piano tuner",
    "a physics lecturer", "a hotel receptionist", "a wedding photographer", "a beekeeper", "a tax adviser",
    "a swimming coach", "an electrician", "an event planner", "an optician", "an actor between jobs", "an archivist",
    "a truck dispatcher", "a speech therapist", "a butcher", "a city planner", "a sound technician",
)  # fmt: skip
PLACES = (
    "You call from your kitchen table.", "You call from a noisy café.", "You are on a train with patchy reception.",
    "You sit in a parked car outside your office.", "You call from a quiet hotel room.", "You are walking the dog.",
    "You call during your lunch break.", "You are in a waiting room and speak quietly.",
    "You call from your workshop.", "You have a toddler on your knee.",
    "You are at your desk with a second screen open.", "You call from a garden chair.",
    "You stand in a supermarket queue.", "You are folding laundry on the side.", "You call from the back of a taxi.",
    "You are at your mother's house.", "You are sitting on the stairs of your building.",
    "You call from the staff room.",
)  # fmt: skip
HABITS = (
    "You keep a notebook with everything in it.", "You like to hear numbers twice.", "You hum while you wait.",
    "You tend to apologise for taking up time.", "You read things out slowly and carefully.",
    "You make dry little jokes.", "You say please and thank you a lot.", "You get straight to what matters.",
    "You like knowing how things work.", "You write down what the agent says.",
    "You trust people who explain themselves.", "You dislike being put on hold.", "You speak with long pauses.",
    "You lose track when too much is asked at once.", "You never raise your voice.",
    "You sometimes answer before the question is finished.", "You prefer plain words over jargon.",
    "You have your papers in front of you.",
)  # fmt: skip
MOMENTS = (
    "you finally have a quiet half hour", "a reminder has just popped up on your phone",
    "you promised your sister to sort this out today", "you have been putting this off all week",
    "you were going through your papers and noticed it", "your partner asked you to take care of it before dinner",
    "you could not find the right page online", "your colleague told you a phone call is the quickest way",
    "you want it off your list before the weekend", "you have just come home and opened your mail",
    "you woke up thinking about it", "your neighbour had something similar and got it settled by phone",
    "you are planning the coming weeks with your calendar open", "the website kept showing you an error",
    "you have a few minutes before your next appointment", "your daughter set up the call for you",
    "you are tidying up loose ends", "the app on your phone would not load",
    "you talked it over with your family last night", "you would rather speak to a person than fill in a form",
    "you have made up your mind after some thought", "you told a friend you would get it done by tonight",
    "you have just looked at your budget for the month", "your assistant is away and you do it yourself",
    "a friend mentioned that this can be done by phone", "you want to be certain and not leave it to chance",
    "you have time on your hands while the coffee brews", "you keep forgetting it and today you set an alarm",
    "your family chat has been asking about it", "you are the one in the family who handles such things",
)  # fmt: skip
HOPES = (
    "You hope it takes a single call.", "You would like to hear clearly what happens next.",
    "You want to know exactly where you stand afterwards.", "You expect a straight answer.",
    "You would be glad to have it behind you.", "You hope nobody makes a fuss about it.",
    "You want it done properly rather than fast.", "You have heard good things about the service.",
    "You are curious how smoothly this will go.", "You do not expect any trouble.",
    "You want to be able to tell the others about it tonight.", "You are prepared to listen if there is a catch.",
    "You have done this once before, years ago.", "You have never called this service before.",
    "You would appreciate a little patience.", "You will note down whatever the agent tells you.",
)  # fmt: skip
OPENERS = (
    "I hope you can help me with something.", "I'd like some help, please.", "I need a hand with something.",
    "I was told you could help me.", "There's something I'd like to get sorted.", "I've got a request.",
    "I have something to sort out.", "I could use some help.",
)  # fmt: skip
ASIDES = (
    "I've been meaning to call about it for days.", "It shouldn't be anything complicated.",
    "I'd like to get that done today if possible.", "I couldn't manage it online.", "Could you look into that for me?",
    "What do you need from me?", "I hope that's something you can do.", "Let me know what you need.",
    "I tried the app, but no luck.", "It would be great if we could do that right now.", "I hope that's quick.",
    "I'm not sure how this works.", "I'd rather do it by phone.",
)  # fmt: skip
BEHAVIOURS = (
    "Answer what you are asked and do not volunteer the rest.", "Give details only when the agent needs them.",
    "Stay on the topic until it is settled.", "Let the agent lead the conversation.",
    "If the agent turns you down, ask once whether there is a way, then accept it.",
    "Agree to what the agent lays out as long as it is what you asked for.",
    "Do not end the call before you have heard how it turned out.",
    "If the agent proposes something you did not ask for, decline it politely.",
    "Wait until the agent confirms that everything is done before you hang up.",
    "If something is refused, do not argue for long.", "Keep each message to a sentence or two.",
    "Speak in your own words; do not recite.",
)  # fmt: skip

WANTING = (
    "I'd like to {verb}", "I need to {verb}", "I want to {verb}", "I was hoping to {verb}", "I'm hoping to {verb}",
    "I'm calling to {verb}", "I'm trying to {verb}", "I'd need to {verb}", "I wanted to {verb}",
)  # fmt: skip

STOCK_PERSONA = "You are an average customer. You are polite and want your request handled."
STOCK_REASON = "You are contacting customer service because you need assistance with your request."
