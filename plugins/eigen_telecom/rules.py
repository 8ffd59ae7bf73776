"""Numbers of the policy, stated once: tools charge by them, guards and templates decide by them."""

from __future__ import annotations

import datetime

NOW = datetime.datetime(2025, 9, 16, 10, 0, 0)
"""The fixed time of every world, Eastern time."""

MOST_REFUEL_GB = 2.0
"""Gigabytes that can be bought for a line within one billing cycle."""
HOLDING_FEE = 5
"""Dollars a month for a line suspended at the customer's wish."""
LONGEST_SUSPENSION = 6
"""Months."""
FULL_SPEED = 200.0
"""Mbps that the fault desk calls full speed; every 5G cell of ours gives more, nothing else reaches it."""
BILL_TERM = datetime.timedelta(days=14)
"""From a bill's issue to its due date."""
