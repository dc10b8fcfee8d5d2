"""The plant of the demonstration calculated without the service: exact fractions, feedstock by feedstock.

Only the logarithm is not exact; it has 50 digits.
"""

from decimal import Context, Decimal
from fractions import Fraction

from weighbridge.demo.plant import MONTHS

YIELDS = {"Forest residues": Fraction("0.25"), "Rice husk": Fraction("0.32")}
LORRY_KG, GRID_KG = Fraction("0.1"), 727  # for a tonne-kilometre, and for a MWh
DIOXIDE_PER_CARBON = Fraction(4401, 1201)


def chain(*late):
    """What each ledger was credited and what was drawn of it, by slot and feedstock.

    `late` are deliveries of January that came in when all was booked: draws stay as they were without them,
    and what they emitted is spread over the month and travels down.
    """
    rows = ({}, {}, {})
    for feedstock, share in YIELDS.items():
        on_time = {month.first: dry(month.deliveries, feedstock) for month in MONTHS}
        made = {month.first: dry(month.runs, feedstock) for month in MONTHS}
        spread = {month.first: dry(month.applications, feedstock) for month in MONTHS}
        used = fifo(on_time, {month: mass / share for month, mass in made.items()})
        applied = fifo(made, spread)
        delivered = {**on_time, "2025-01": on_time["2025-01"] + dry(late, feedstock)}
        intensity = biochar_intensity(used, made, transport_intensity(feedstock, late))
        removed = {
            month.first: sum(
                mass * removal(source, feedstock, month, intensity)
                for source, mass in applied[month.first].items()
            )
            for month in MONTHS
        }
        for ledger, credited, draws in zip(
            rows, (delivered, made, removed), (used, applied, {}), strict=True
        ):
            for month, amount in credited.items():
                drawn = sum(taken.get(month, 0) for taken in draws.values())
                ledger[f"{month} {feedstock}"] = (places(amount), places(drawn))
    return rows


def dry(weighed, feedstock):
    return sum(
        Fraction(one.wet_mass) * (100 - Fraction(one.moisture)) / 100
        for one in weighed
        if one.feedstock == feedstock
    )


def fifo(sources, needed):
    """What each month takes of the months that are not over before it, the oldest first."""
    left, draws = dict(sources), {}
    for month, amount in needed.items():
        draws[month] = {}
        for source in [one for one in left if one <= month]:
            draws[month][source] = min(amount - sum(draws[month].values()), left[source])
            left[source] -= draws[month][source]
        assert sum(draws[month].values()) == amount, "there is enough"
    return draws


def transport_intensity(feedstock, late):
    """Kilograms for a dry tonne of each month's deliveries."""
    found = {}
    for month in MONTHS:
        lorries = month.deliveries + (late if month.first == "2025-01" else ())
        ours = [one for one in lorries if one.feedstock == feedstock]
        carried = sum(Fraction(one.wet_mass) * Fraction(one.distance) for one in ours)
        found[month.first] = carried * LORRY_KG / dry(ours, feedstock)
    return found


def biochar_intensity(used, made, transport):
    """Kilograms for a dry tonne of each month's biochar: of the transport, and its share of the power."""
    found = {}
    for month in MONTHS:
        everything = sum(dry(month.runs, one) for one in YIELDS)
        power = Fraction(month.energy) / 1000 * made[month.first] / everything * GRID_KG
        moved = sum(mass * transport[source] for source, mass in used[month.first].items())
        found[month.first] = (moved + power) / made[month.first]
    return found


def removal(source, feedstock, month, intensity):
    """Tonnes removed by a tonne that was made in the source's month and spread in this one."""
    (made,) = [one for one in MONTHS if one.first == source]
    ours = [one for one in made.analyses if one.feedstock == feedstock]
    weight = sum(Fraction(one.sample_mass) for one in ours)

    def mean(name):
        return sum(Fraction(getattr(one, name)) * Fraction(one.sample_mass) for one in ours) / weight

    slope = Fraction("-0.383") + Fraction("0.35") * Fraction(Decimal(month.temperature).ln(Context(prec=50)))
    durable = min(Fraction("0.95"), 1 - (Fraction("-0.048") + slope * mean("hydrogen_to_carbon")))
    carbon = (mean("total_carbon") - mean("inorganic_carbon")) / 100
    return carbon * durable * DIOXIDE_PER_CARBON - intensity[source] / 1000


def places(value):
    """Six decimals, half to even, as a ledger keeps them."""
    return Decimal(round(Fraction(value) * 10**6)).scaleb(-6)
