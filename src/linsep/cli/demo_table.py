"""The table of the demo: customers of a telephone company, made up, of all kinds of columns."""

from __future__ import annotations

import csv
import datetime
import math
from pathlib import Path
from random import Random

NAMES: tuple[str, ...] = ("customer", "since", "plan", "city", "monthly", "calls", "late_payments", "autopay", "age")
NAMES += ("last_message", "left")
PLANS = {"basic": -0.3, "family": 0.9, "student": -0.9, "business": 0.4}
CITIES = {"Praha": 0.3, "Brno": 0.1, "Ostrava": -0.2, "Zlín": 0.0}
VILLAGES = ("Lhota", "Kostelec", "Vrbno", "Telč", "Tábor", "Sušice", "Žatec", "Bor")
MESSAGES = {
    "thank you, all is fine now": 1.2, "the line is slow again and nobody answers": -1.3,
    "please change my address": 0.1, "I would like to know how to cancel": -1.7,
    "can I add a second phone, please": 1.0, "the bill is wrong again": -0.8, "": 0.0,
}  # fmt: skip


def write_demo_table(path: Path, rows: int = 900, seed: int = 4) -> None:
    """Write the table. The same numbers on every machine: Python's own generator, and no logarithm decides anything."""
    rng = Random(seed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(NAMES)
        for k in range(rows):
            table.writerow(_customer(rng, k))


def _customer(rng: Random, k: int) -> list[object]:
    """One row; who is unhappy, new and often late leaves more often."""
    years = rng.uniform(0, 9)
    since = datetime.date(2026, 1, 1) - datetime.timedelta(days=int(365 * years))
    plan = rng.choices(list(PLANS), [5, 3, 2, 2])[0]
    city = rng.choices([*CITIES, *VILLAGES], [8, 5, 4, 3, *[0.2] * len(VILLAGES)])[0]
    monthly = round(math.exp(rng.gauss(5.8, 0.7)), 1)
    calls, late = rng.randint(0, 14), rng.choices(range(5), [10, 5, 3, 2, 1])[0]
    autopay, age = rng.random() < 0.6, rng.randint(18, 85)
    words = rng.choices(list(MESSAGES), [4, 3, 3, 2, 3, 3, 4])[0]
    stays = 0.55 * years - 0.9 * late + 0.8 * autopay + PLANS[plan] + CITIES.get(city, 0.0) + MESSAGES[words]
    stays += 0.1 * calls + 0.02 * (age - 50) - 1.2 + rng.gauss(0, 0.7)
    known = rng.random() > 0.06
    return [
        f"C{10_000 + 7 * k}", since, plan, city, monthly, calls, late, "yes" if autopay else "no", age if known else "",
        words, "stayed" if stays > 0 else "left",
    ]  # fmt: skip
