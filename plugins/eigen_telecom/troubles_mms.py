"""Troubles that keep picture messages from being sent."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from eigen_cli.api.record import FrozenMap
from eigen_telecom.cases import Case, Fix, Inject, Trouble, phone_with, switched, user
from eigen_telecom.handset import AppStatus


def _forget_mmsc(case: Case) -> Case:
    apn = replace(case.phone.active_apn_settings, mmsc_url=None)
    return dataclasses.replace(case, phone=replace(case.phone, active_apn_settings=apn))


def _without(*permissions: str) -> Inject:
    def inject(case: Case) -> Case:
        app = case.phone.app_statuses["messaging"]
        fewer = replace(app.permissions, **dict.fromkeys(permissions, False))
        apps: FrozenMap[str, AppStatus] = FrozenMap(
            {**case.phone.app_statuses, "messaging": replace(app, permissions=fewer)}
        )
        return dataclasses.replace(case, phone=replace(case.phone, app_statuses=apps))

    return inject


def _grant(*permissions: str) -> Fix:
    calls = tuple(
        user("grant_app_permission", app_name="messaging", permission=permission) for permission in permissions
    )
    return lambda _: calls


MMS: tuple[Trouble, ...] = (
    Trouble(
        "pictures_over_wifi_calling",
        "wifi_calling",
        phone_with(wifi_calling_enabled=True, wifi_calling_mms_over_wifi=True),
        switched("toggle_wifi_calling"),
        ("9.10",),
    ),
    Trouble("mmsc_missing", "mmsc", _forget_mmsc, switched("reset_apn_settings"), ("9.12",), restart=True),
    Trouble("sms_not_permitted", "permissions", _without("sms"), _grant("sms"), ("9.11",)),
    Trouble("storage_not_permitted", "permissions", _without("storage"), _grant("storage"), ("9.11",)),
    Trouble("nothing_permitted", "permissions", _without("sms", "storage"), _grant("sms", "storage"), ("9.11",)),
)
