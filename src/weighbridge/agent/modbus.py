"""Modbus TCP: a device is asked again and again, and each answer becomes a reading of that moment.

The protocol knows no time and no quality: a reading has the time of this machine when the answer came, and
is bad when the device gave none, gave an exception, or says by a number of its own that it has no value.

Invariant: each poll makes one reading of each value, so that a gap of the readings is one of the agent.
"""

import asyncio
import logging
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any, Final

from pymodbus.client import AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException

from weighbridge.agent.configuration import ModbusDevice, ModbusValue
from weighbridge.agent.readings import (
    AgentReading,
    Measured,
    Quality,
    build_reference,
    exact,
    make_measured_reading,
    now,
)
from weighbridge.agent.spool import Handover, Spool

# Registers as numbers: 16 bits each, of which several make a number in the order that the device has.


FORMS: Final = {
    "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q", "uint64": ">Q",
    "float32": ">f", "float64": ">d",
}  # fmt: skip
"""How the bytes of each type are read, those of the highest digits first."""

REGISTER_BYTES: Final = 2
DIGITS: Final = 100
"""Enough for the product of any two numbers of a file and a register."""

TRUTHS: Final = frozenset({"coil", "discrete"})


def count_registers(value: ModbusValue) -> int:
    """How many registers, coils or inputs a value takes."""
    return 1 if value.value_type is None else struct.calcsize(FORMS[value.value_type]) // REGISTER_BYTES


def decode_registers(value: ModbusValue, words: Sequence[int], word_order: str) -> Decimal | None:
    """The number that registers hold, exactly scaled; None where the device says that it has none."""
    ordered = words if (value.word_order or word_order) == "big" else [*reversed(words)]
    packed = struct.pack(f">{len(ordered)}H", *ordered)
    (raw,) = struct.unpack(FORMS[value.value_type or "uint16"], packed)
    number = exact(raw, is_single=value.value_type == "float32")
    if number is None or number in value.no_value:
        return None
    with localcontext(prec=DIGITS):
        return Decimal(number) * value.scale + value.offset


# The questions of a poll: values that lie side by side are asked for at once.


REGISTERS_MAX: Final = 125
COILS_MAX: Final = 2_000
"""What one answer may hold, by the specification (6.1 to 6.4)."""


@dataclass(frozen=True, slots=True)
class ModbusQuestion:
    """One request: a run of a table without gaps, and the values in it."""

    unit_id: int
    table: str
    address: int
    count: int
    values: tuple[ModbusValue, ...]

    @property
    def parts(self) -> list["ModbusQuestion"]:
        """The same, each value by a request of its own."""
        return [
            ModbusQuestion(self.unit_id, self.table, value.address, count_registers(value), (value,))
            for value in self.values
        ]


def plan_questions(device: ModbusDevice) -> list[ModbusQuestion]:
    """The requests of one poll."""
    questions: list[ModbusQuestion] = []
    placed = [
        (device.unit_id if value.unit_id is None else value.unit_id, value) for value in device.registers
    ]
    for unit_id, value in sorted(placed, key=lambda one: (one[0], one[1].table, one[1].address)):
        count = count_registers(value)
        last = questions[-1] if questions else None
        if (
            last is not None
            and (last.unit_id, last.table, last.address + last.count) == (unit_id, value.table, value.address)
            and last.count + count <= (COILS_MAX if value.table in TRUTHS else REGISTERS_MAX)
        ):
            values = (*last.values, value)
            questions[-1] = ModbusQuestion(unit_id, value.table, last.address, last.count + count, values)
        else:
            questions.append(ModbusQuestion(unit_id, value.table, value.address, count, (value,)))
    return questions


# What a device answers, as readings.


NO_ANSWER: Final = "NoAnswer"
NO_VALUE: Final = "NoValue"
GOOD: Final = "Good"
EXCEPTIONS: Final = {
    1: "IllegalFunction",
    2: "IllegalDataAddress",
    3: "IllegalDataValue",
    4: "ServerDeviceFailure",
    5: "Acknowledge",
    6: "ServerDeviceBusy",
    8: "MemoryParityError",
    10: "GatewayPathUnavailable",
    11: "GatewayTargetFailedToRespond",
}
"""Exceptions of the specification, 7."""

MODE_OF_ONE_VALUE: Final = frozenset({1, 2, 3})
"""Exceptions that may be about one value of several."""


@dataclass(frozen=True, slots=True)
class ModbusAnswer:
    """What came of a value: its number or truth, or why there is none."""

    value: ModbusValue
    measured: Measured | None
    status: str
    at: datetime


def read_answer(
    device: ModbusDevice, question: ModbusQuestion, held: Sequence[int | bool], at: datetime
) -> Iterator[ModbusAnswer]:
    """The values of an answer."""
    for value in question.values:
        begin = value.address - question.address
        words = held[begin : begin + count_registers(value)]
        measured = (
            bool(words[0]) if value.table in TRUTHS else decode_registers(value, words, device.word_order)
        )
        yield ModbusAnswer(value, measured, NO_VALUE if measured is None else GOOD, at)


def build_modbus_reading(source: str, answer: ModbusAnswer) -> AgentReading:
    """The event of an answer, at the moment at which it came."""
    reference = build_reference(source, answer.value.name, answer.at)
    quality = Quality.BAD if answer.measured is None else Quality.GOOD
    times = answer.at, answer.at
    return make_measured_reading(reference, answer.value, times, answer.measured, (quality, answer.status))


# A device as a source: asked at each beat, on one connection that is made again when it is gone.


log: Final = logging.getLogger("weighbridge.agent")


class ModbusSource:
    """One device, for one session after the other."""

    def __init__(self, device: ModbusDevice, spool: Spool) -> None:
        self._device = device
        self._spool = spool
        self._questions = plan_questions(device)
        self._said: dict[str, Any] = {}

    async def session(self) -> None:
        """Ask until something unexpected ends it. Raises SpoolFullError."""
        client = make_client(self._device)
        loop = asyncio.get_running_loop()
        beat = loop.time()
        try:
            while True:
                answers = [
                    answer for question in self._questions for answer in await self._ask(client, question)
                ]
                readings = [build_modbus_reading(self._device.name, answer) for answer in answers]
                await self._spool.keep(Handover(readings))
                await self._note(answers)
                pause = self._device.poll_ms / 1_000
                # A poll that took longer than its time leaves out those that it took.
                beat += pause * max(1, -((beat - loop.time()) // pause))
                await asyncio.sleep(beat - loop.time())
        finally:
            client.close()

    async def _ask(self, client: AsyncModbusTcpClient, question: ModbusQuestion) -> list[ModbusAnswer]:
        held, status = await ask_device(client, question)
        if held is not None:
            return [*read_answer(self._device, question, held, now())]
        if len(question.values) > 1 and status in {exception_name(code) for code in MODE_OF_ONE_VALUE}:
            return [answer for part in question.parts for answer in await self._ask(client, part)]
        at = now()
        return [ModbusAnswer(value, None, status, at) for value in question.values]

    async def _note(self, answers: list[ModbusAnswer]) -> None:
        """Note how the device fares, when that has changed."""
        problems = {
            answer.value.name: answer.status for answer in answers if answer.status not in {GOOD, NO_VALUE}
        }
        is_silent = bool(answers) and all(answer.status == NO_ANSWER for answer in answers)
        said: dict[str, Any] = {"state": "waiting" if is_silent else "reading", "problems": problems}
        if is_silent:
            said["error"] = f"{self._device.host}:{self._device.port} does not answer."
        if said != self._said:
            if problems:
                log.warning("%s: %s", self._device.name, said.get("error") or problems)
            else:
                log.info("%s: %s:%s answers.", self._device.name, self._device.host, self._device.port)
            await self._spool.note(f"source/{self._device.name}", said)
            self._said = said


def make_client(device: ModbusDevice) -> AsyncModbusTcpClient:
    """A client that connects when it is asked to, and tries nothing twice by itself."""
    return AsyncModbusTcpClient(
        device.host, port=device.port, timeout=device.timeout_ms / 1_000, retries=0, reconnect_delay=0
    )


async def ask_device(
    client: AsyncModbusTcpClient, question: ModbusQuestion
) -> tuple[Sequence[int | bool] | None, str]:
    """What a device holds, or None and why it gives nothing."""
    ask = {
        "holding": client.read_holding_registers,
        "input": client.read_input_registers,
        "coil": client.read_coils,
        "discrete": client.read_discrete_inputs,
    }[question.table]
    try:
        if not client.connected and not await client.connect():
            return None, NO_ANSWER
        answer = await ask(question.address, count=question.count, device_id=question.unit_id)
    except (ModbusException, OSError, TimeoutError):
        # What comes late would be taken for the answer of the next question.
        client.close()
        return None, NO_ANSWER
    if answer.isError():
        return None, exception_name(answer.exception_code)
    held: Sequence[int | bool] = answer.bits if question.table in TRUTHS else answer.registers
    if len(held) < question.count:
        return None, NO_ANSWER
    return held, GOOD


def exception_name(code: int) -> str:
    """An exception by its name and number: `IllegalDataAddress 0x02`."""
    return f"{EXCEPTIONS.get(code, 'Exception')} 0x{code:02X}"


async def list_complaints(device: ModbusDevice) -> list[str]:
    """What is wrong with the registers of a device, a sentence for each."""
    client = make_client(device)
    try:
        complaints = []
        for question in plan_questions(device):
            for part in question.parts:
                held, status = await ask_device(client, part)
                if held is None:
                    complaints.append(f"{part.values[0].name} cannot be read: {status}.")
                if status == NO_ANSWER:
                    return [f"{device.host}:{device.port} does not answer."]
        return complaints
    finally:
        client.close()
