"""What the commands of archives say, where JSON was not asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weighbridge.archive.checking import CheckedMonth
    from weighbridge.archive.recomputing import ArchiveRecomputation
    from weighbridge.archive.records import ListedMonth
    from weighbridge.archive.writing import WrittenMonth


def of_written(one: "WrittenMonth") -> str:
    """What became of a month."""
    each = f", {one.bytes / one.rows:.1f} bytes for each" if one.rows else ""
    counts = f"{one.rows:,} events, {one.bytes:,} bytes{each}"
    return f"{one.month}  {one.state:9}  version {one.version}, {counts}"


def of_listed(one: "ListedMonth") -> str:
    """A version of a month."""
    return (
        f"{one.project}  {one.month}  version {one.version}, {one.rows:,} events, {one.bytes:,} bytes, by"
        f" {one.made_at.text}, in {one.place}, manifest {one.sha256[:32]}"
    )


def of_checked(one: "CheckedMonth") -> str:
    """What came of comparing a month, a line for each difference."""
    state = "as it was" if one.is_clean and not one.changed else "changed" if one.is_clean else "ALTERED"
    lines = [f"{one.month}  {state:9}  version {one.version}, {one.rows:,} events"]
    lines += [f"  ALTERED  {said}" for said in one.altered]
    lines += [f"  changed  {said}" for said in one.changed]
    lines += [f"  renamed  {said}" for said in one.renamed]
    if one.more:
        lines.append(f"  and {one.more:,} more events that differ")
    if one.changed and one.is_clean:
        lines.append("  `weighbridge archive write` writes another version of the month.")
    return "\n".join(lines)


def of_recomputed(one: "ArchiveRecomputation") -> str:
    """What came of computing batches anew."""
    lines = [f"{one.batches:,} batches over {one.events:,} events of {one.months} archived months:"]
    lines += [f"  BROKEN   {said}" for said in one.violations]
    lines += [f"  lacking  {said}" for said in one.uncovered]
    if one.outside:
        lines.append(f"  {one.outside:,} other batches have none of their events in the archive.")
    held = "Every one of them comes to its digits again."
    lines.append(held if one.is_clean else "Not everything holds.")
    return "\n".join(lines)
