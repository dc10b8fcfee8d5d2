"""What tests state of values, and the trials that come of it."""

from decimal import Decimal

from weighbridge.core.engine import GivenValues
from weighbridge.core.engine.uncertainty_trials import TrialSetting, prepare_trials, run_trials
from weighbridge.core.model import prepare
from weighbridge.core.uncertainty.sampling import UncertainValue
from weighbridge.core.uncertainty.statement import build_statement

TEXTS = {"distribution", "effect", "unit", "source"}


def state(*, identity=None, **fields):
    """What one statement says of a value, such as `state(standard="0.5")`."""
    numbers = {
        key: Decimal(value) if isinstance(value, str) and key not in TEXTS else value
        for key, value in fields.items()
    }
    statement, problems = build_statement(numbers)
    assert problems == ()
    return UncertainValue((statement,), identity)


def decimals(values):
    """Numbers and lists of them, as texts, by name."""
    return {
        name: tuple(map(Decimal, value)) if isinstance(value, list | tuple) else Decimal(value)
        for name, value in values.items()
    }


def setting_of(found, values, stated, **others):
    """A setting of trials of a model; a node of which one thing is stated has it as its only one."""
    each = {name: one if isinstance(one, tuple | list) else (one,) for name, one in stated.items()}
    given = GivenValues(decimals(values), others.pop("partition", {}), others.pop("hours", {}))
    return TrialSetting(prepare(found), given, each, **others)


def program_of(setting, targets=("result",)):
    """Trials that are ready to run."""
    program, problems = prepare_trials(setting, targets)
    assert problems == ()
    return program


def trials_of(setting, trials, targets=("result",)):
    """The columns of trials."""
    return run_trials(program_of(setting, targets), trials)
