"""Reading tau2's telecom databases and writing worlds in their form, down to the hash."""

from __future__ import annotations

import copy
import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from tau2.domains.telecom.data_model import TelecomDB
from tau2.domains.telecom.user_data_model import TelecomUserDB
from telecom_pair import DOMAIN, OFFICIAL, environment

from eigen_cli.api.errors import ConfigError
from eigen_cli.api.tasks import WorldRef
from eigen_cli.world.base import build_base
from eigen_cli.world.world import World
from eigen_tau2.canonical_form import canonical_hash
from eigen_tau2.data import find_files
from eigen_tau2.telecom import Tau2Telecom
from eigen_telecom.handset import Phone, Surroundings
from eigen_telecom.records import Line


def _world(database: dict[str, Any]) -> World:
    """Return the world of imported databases."""
    domain = Tau2Telecom()
    domain.databases.append(database)
    return World(build_base(domain, WorldRef(1, 0), freeze=False))


def test_the_official_databases_hash_as_tau2_hashes_them() -> None:
    env, sides = environment(), DOMAIN.sides(OFFICIAL)
    assert canonical_hash(sides["agent"]) == env.get_db_hash()
    assert canonical_hash(sides["user"]) == env.get_user_db_hash()
    counts = {name: len(rows) for name, rows in sides["agent"].items()}
    assert counts == {"plans": 5, "customers": 4, "lines": 9, "bills": 6, "devices": 9}


def test_our_own_fields_get_tau2_s_values() -> None:
    line, phone = OFFICIAL.table(Line).get("L1004"), OFFICIAL.table(Phone).get("phone")
    around = OFFICIAL.table(Surroundings).get("surroundings")
    assert line is not None and phone is not None and around is not None
    assert line.customer_id == "C1002"
    assert phone.vpn_profile.protocol == "OpenVPN"
    assert around.carrier_apn.mmsc_url == "http://mms.carrier.com/mms/wapenc"


def test_what_is_left_out_gets_the_benchmark_s_defaults() -> None:
    """Whole numbers where amounts are meant, missing fields, other texts: as tau2's models load them."""
    customer = {
        "customer_id": "C1",
        "full_name": "A B",
        "date_of_birth": "1990-01-01",
        "email": "a@b.example",
        "phone_number": "1",
        "address": {"street": "s", "city": "c", "state": "s", "zip_code": "1"},
        "created_at": "2025-03-01T10:00:00.250000",
        "goodwill_credit_used_this_year": 3,
        "line_ids": ["L1"],
    }
    item = {"description": "d", "amount": -5, "date": "2025-01-02", "item_type": "Credit"}
    dates = dict.fromkeys(("period_start", "period_end", "issue_date", "due_date"), "2025-01-01")
    agent = {
        "plans": [
            {"plan_id": "P1", "name": "p", "data_limit_gb": 1, "price_per_month": 7, "data_refueling_price_per_gb": 0.1}
        ],
        "customers": [customer],
        "lines": [{"line_id": "L1", "phone_number": "2", "plan_id": "P1"}],
        "bills": [{"bill_id": "B1", "customer_id": "C1", "total_due": 12.10, "line_items": [item], **dates}],
    }
    user = {"device": {"active_apn_settings": {"mms_apn": None}, "app_statuses": {"maps": {"app_name": "maps"}}}}
    sides = DOMAIN.sides(_world({"agent": agent, "user": user}))
    assert canonical_hash(sides["agent"]) == TelecomDB.model_validate(agent).get_hash()
    assert canonical_hash(sides["user"]) == TelecomUserDB.model_validate(user).get_hash()
    empty = DOMAIN.sides(_world({"agent": {}, "user": {}}))
    assert canonical_hash(empty["agent"]) == TelecomDB().get_hash()
    assert canonical_hash(empty["user"]) == TelecomUserDB().get_hash()


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("agent", "orders"), [], "has orders; known are plans, customers, lines, bills, devices"),
        (("agent", "plans"), {"P1": {}}, "plans is a dict, not a list"),
        (("agent", "lines", 0, "status"), "Lost", "lines L1001: Invalid enum value 'Lost'"),
        (("agent", "lines", 0, "colour"), "red", "lines L1001 has the unknown field colour"),
        (("agent", "bills", 0, "line_items", 1, "tax"), 1, "bills B1001 has the unknown field line_items.tax"),
        (("agent", "customers", 2, "address"), "here", "customers C1003: Expected `object`, got `str`"),
        (("user", "phone"), {}, "the user's database has phone; known are device, surroundings"),
        (("user", "device", "battery_level"), "full", "device: Expected `int`, got `str`"),
    ],
)
def test_another_schema_is_one_clear_error(where: tuple[Any, ...], value: Any, said: str) -> None:
    database = copy.deepcopy(dict(DOMAIN.database(0)))
    place: Any = database
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    with pytest.raises(ConfigError, match="this is no telecom database") as refused:
        _world(database)
    assert said in refused.value.message


def test_the_database_may_be_json(tmp_path: Path) -> None:
    folder = tmp_path / "domains" / "telecom"
    folder.mkdir(parents=True)
    official = DOMAIN.database(0)
    (folder / "db.json").write_text(json.dumps(official["agent"], default=str))
    (folder / "user_db.toml").write_text(DOMAIN.files.text("user_db.toml"))
    domain = Tau2Telecom.opened({"tau2_data": str(tmp_path)})
    assert find_files("telecom", data=str(tmp_path)).database() == official["agent"]
    world = World(build_base(domain, WorldRef(0, 0), freeze=False))
    assert domain.sides(world) == DOMAIN.sides(OFFICIAL)


def test_the_policy_is_composed_as_tau2_does() -> None:
    assert DOMAIN.preamble() == environment().get_policy()
    assert DOMAIN.clock() == datetime.datetime(2025, 2, 25, 12, 8)
