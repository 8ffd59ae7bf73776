"""The troubleshooting guide, in clauses: what to look at, in which order, and whose hands each step takes."""

from __future__ import annotations

from eigen_cli.api.domain import Clause

GUIDE: tuple[Clause, ...] = (
    Clause(
        "8.1",
        "Where to begin",
        "Without service nothing else works: start there, whatever the trouble. Look at the line yourself, and have "
        "the customer open the phone's network page and read it to you: airplane mode, SIM, mobile network, signal, "
        "data and roaming switches.",
    ),
    Clause(
        "8.2",
        "Airplane mode",
        "If airplane mode is on, the customer turns it off.",
    ),
    Clause(
        "8.3",
        "SIM card",
        "If no SIM card is found, the customer takes it out and puts it back. If it is locked with a PIN or PUK, "
        "nobody on this line can unlock it: transfer.",
    ),
    Clause(
        "8.4",
        "Access point and service",
        "If airplane mode is off, the SIM card works and the line is active, but there is still no service, the access "
        "point settings are at fault: the customer resets them and restarts the phone.",
    ),
    Clause(
        "8.5",
        "Suspended lines",
        "A suspended line has no service. You look at its contract end date and at the customer's bills, and follow "
        "section 4.",
    ),
    Clause(
        "8.6",
        "Service is back",
        "Service is back when the customer's status bar shows a signal. Have them look.",
    ),
    Clause(
        "9.1",
        "Mobile data",
        "Data that does not work, or is slow, is looked into only once there is service. Have the customer run a speed "
        "test: it tells whether there is a connection, and how fast it is.",
    ),
    Clause(
        "9.2",
        "Data abroad",
        "Ask whether the customer is abroad. If so, both must be on: roaming for the line, which you allow (6.1), and "
        "data roaming on the phone, which the customer turns on.",
    ),
    Clause(
        "9.3",
        "Data switch",
        "If mobile data is off on the phone, the customer turns it on.",
    ),
    Clause(
        "9.4",
        "Data used up",
        "When a line has used its limit and what was bought, data stops. You look at its usage and offer data to buy "
        "(section 5). If no more can be bought, transfer.",
    ),
    Clause(
        "9.5",
        "Data saver",
        "Data saver slows the phone down; if it is on, the customer turns it off.",
    ),
    Clause(
        "9.6",
        "Network mode",
        "A phone set to 2G, 3G or 4G alone is slow. The customer looks at the preferred network and sets it to 4G and "
        "5G.",
    ),
    Clause(
        "9.7",
        "VPN",
        "A VPN whose server performs poorly slows everything down. The customer looks at the VPN page, and disconnects "
        "it.",
    ),
    Clause(
        "9.8",
        "Full speed",
        "Full speed is above 200 Mbps; the speed test then says excellent. Go on until it does, or until this guide is "
        "at its end.",
    ),
    Clause(
        "9.9",
        "Picture messages",
        "Picture messages need service, working mobile data and a network better than 2G, even where there is Wi-Fi. "
        "Settle those first, then go through 9.10 to 9.12. The customer can try each time whether a picture can be "
        "sent.",
    ),
    Clause(
        "9.10",
        "Wi-Fi calling",
        "Our network takes no pictures over Wi-Fi calling: if it is on, the customer turns it off.",
    ),
    Clause(
        "9.11",
        "Messaging app",
        "The messaging app must be permitted to use both sms and storage. The customer looks, and grants what is "
        "missing.",
    ),
    Clause(
        "9.12",
        "Picture server",
        "The access point settings must name an MMSC. If it is not set, the customer resets the access point settings "
        "and restarts the phone.",
    ),
)
