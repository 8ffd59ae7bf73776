"""What the shop sells: 50 products, each with a base price and the options its items come in."""

from __future__ import annotations

from dataclasses import dataclass

_LINES = """
Rain Jacket | 94 | color: navy, olive, red | size: S, M, L, XL | lining: mesh, quilted
Wool Sweater | 79 | color: cream, charcoal, rust | size: S, M, L, XL | collar: round, rolled
Linen Shirt | 58 | color: white, sage, sky blue | size: S, M, L, XL | cut: slim, regular
Denim Jeans | 72 | color: indigo, black, stone | waist: 30, 32, 34, 36 | cut: slim, straight
Trail Shoes | 118 | color: grey, teal, orange | size: 7, 8, 9, 10, 11 | sole: soft, grippy
Canvas Slippers | 34 | color: navy, sand | size: 7, 8, 9, 10 | sole: rubber, cork
Ski Gloves | 49 | color: black, white, red | size: S, M, L | filling: down, synthetic
Sun Hat | 29 | color: sand, navy, white | size: S, M, L | brim: wide, narrow
Leather Belt | 41 | color: brown, black, tan | length: 90 cm, 100 cm, 110 cm | buckle: brass, steel
Travel Umbrella | 27 | color: black, yellow, green | handle: wood, foam | frame: steel, carbon
Day Pack | 66 | color: grey, moss, plum | volume: 15 liters, 20 liters, 28 liters | strap: padded, mesh
Duffel Bag | 84 | color: black, rust, teal | volume: 40 liters, 60 liters, 90 liters | fabric: canvas, nylon
Rolling Suitcase | 162 | color: silver, navy, wine | size: cabin, medium, large | shell: hard, soft
Tote Bag | 24 | color: natural, black, coral | fabric: canvas, jute | closure: zip, button
Laptop Sleeve | 31 | color: grey, black, green | size: 13 inch, 14 inch, 16 inch | fabric: felt, neoprene
Trackball | 63 | color: black, white | connection: cable, wireless | hand: left, right
Webcam | 88 | resolution: 1080p, 1440p, 2160p | mount: clip, tripod | color: black, white
USB Hub | 39 | ports: 4, 7, 10 | color: silver, black | cable: short, long
Desk Fan | 46 | color: white, black, mint | diameter: 15 cm, 20 cm, 30 cm | power: cable, battery
Reading Lamp | 52 | color: brass, black, white | light: warm, cool | base: clamp, stand
Floor Lamp | 128 | color: black, oak, white | shade: linen, glass | light: warm, cool
Alarm Clock | 33 | color: red, white, walnut | display: dial, digital | power: cable, battery
Picture Frame | 22 | size: small, medium, large | color: gold, black, oak | pane: glass, acrylic
Throw Blanket | 57 | color: cream, denim blue, rose | fabric: wool, cotton | size: single, double
Feather Pillow | 44 | firmness: soft, medium, firm | size: standard, king | cover: cotton, silk
Bath Towel | 19 | color: white, slate, coral | size: hand, bath, beach | weave: waffle, terry
Shower Caddy | 37 | finish: chrome, bronze, white | tiers: 2, 3, 4 | mount: hook, suction
Laundry Basket | 35 | color: natural, grey | size: medium, large, huge | weave: willow, cotton rope
Tea Pot | 48 | capacity: 600 ml, 900 ml, 1200 ml | material: iron, glass, clay | color: black, sage
Coffee Grinder | 97 | color: black, steel, cream | burrs: conical, flat | hopper: small, large
Milk Frother | 42 | color: white, black | capacity: 150 ml, 300 ml | power: cable, battery
Chef Knife | 76 | blade: 16 cm, 20 cm, 24 cm | handle: walnut, resin, steel | edge: smooth, serrated
Cutting Board | 38 | material: bamboo, beech, rubber | size: small, medium, large | groove: yes, no
Cast Iron Pan | 64 | diameter: 20 cm, 26 cm, 30 cm | finish: raw, enamel | lid: glass, none
Mixing Bowls | 45 | material: steel, glass, clay | pieces: 3, 4, 5 | color: white, blue
Spice Rack | 53 | jars: 12, 16, 20 | material: beech, steel | mount: wall, counter
Lunch Box | 26 | color: green, blue, grey | compartments: 1, 2, 3 | material: steel, bamboo
Bread Bin | 59 | color: cream, graphite, red | material: steel, beech | size: small, large
Camping Stove | 71 | burners: 1, 2 | fuel: gas, alcohol, wood | case: bag, box
Sleeping Bag | 134 | season: summer, autumn, winter | length: regular, long | filling: down, synthetic
Two Person Tent | 248 | color: green, sand, orange | poles: steel, alloy | season: summer, winter
Hammock | 68 | color: striped, olive, white | fabric: cotton, nylon | size: single, double
Head Torch | 43 | brightness: 200 lumens, 400 lumens, 800 lumens | power: battery, solar | color: black, lime
Binoculars | 156 | zoom: 8x, 10x, 12x | color: black, green | coating: single, multi
Bike Lock | 47 | length: 80 cm, 120 cm, 180 cm | type: chain, folding, cable | closure: key, code
Bike Pannier | 82 | color: yellow, black, red | volume: 12 liters, 20 liters | mount: hook, rail
Foam Roller | 32 | length: 30 cm, 60 cm, 90 cm | firmness: soft, firm | color: black, blue
Jump Rope | 18 | length: 250 cm, 280 cm, 300 cm | handle: wood, foam | cable: steel, nylon
Watering Can | 36 | capacity: 2 liters, 5 liters, 9 liters | material: zinc, plastic | color: green, grey
Flower Box | 29 | length: 40 cm, 60 cm, 80 cm | material: clay, zinc, plastic | color: white, terracotta
"""


@dataclass(frozen=True)
class Kind:
    """A product as the shop plans it: every choice of its options could be an item."""

    name: str
    price: int
    """Dollars, about which its items' prices lie."""
    options: dict[str, tuple[str, ...]]


def _kind(line: str) -> Kind:
    name, price, *axes = (part.strip() for part in line.split("|"))
    options = {}
    for axis in axes:
        option, values = axis.split(":")
        options[option.strip()] = tuple(value.strip() for value in values.split(","))
    return Kind(name, int(price), options)


KINDS: tuple[Kind, ...] = tuple(_kind(line) for line in _LINES.strip().splitlines())
NAMES: tuple[str, ...] = tuple(kind.name for kind in KINDS)
OPTIONS: tuple[tuple[str, str], ...] = tuple(
    sorted({(option, value) for kind in KINDS for option, values in kind.options.items() for value in values})
)
"""Every option with every value it has in some product."""
