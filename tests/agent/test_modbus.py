"""Readings of a device by Modbus TCP: exact numbers at each poll, and bad ones while it does not answer."""

import struct
from datetime import datetime
from decimal import Decimal

import pytest
from tests.durability.processes import until

from weighbridge.agent.configuration import ModbusValue
from weighbridge.agent.modbus import decode_registers


def words(form, number):
    packed = struct.pack(form, number)
    return struct.unpack(f">{len(packed) // 2}H", packed)


def value(**more):
    return ModbusValue(
        **{"address": 0, "event_type": "kiln", "data_point": "t", "quality": "q", "value_type": "uint16"}
        | more
    )


EXACT = [
    ("int16", ">h", -2, "0.1", "-0.2"),
    ("uint16", ">H", 65_535, "0.001", "65.535"),
    ("int32", ">i", -123_456, "0.01", "-1234.56"),
    ("uint32", ">I", 4_294_967_295, "1", "4294967295"),
    ("int64", ">q", -9_223_372_036_854_775_807, "0.000001", "-9223372036854.775807"),
    ("uint64", ">Q", 18_446_744_073_709_551_615, "0.00000000000000000001", "0.18446744073709551615"),
    ("float32", ">f", 21.1, "1", "21.1"),
    ("float32", ">f", 0.3, "10", "3.0"),
    ("float64", ">d", 0.1, "1", "0.1"),
]


@pytest.mark.parametrize("case", EXACT, ids=str)
@pytest.mark.parametrize("word_order", ["big", "little"])
def test_registers_hold_the_digits_that_were_meant(case, word_order):
    value_type, form, number, scale, meant = case
    held = words(form, number)
    held = held if word_order == "big" else held[::-1]

    read = decode_registers(value(value_type=value_type, scale=Decimal(scale)), held, word_order)

    assert read == Decimal(meant)
    assert decode_registers(
        value(value_type=value_type, scale=Decimal(scale), word_order=word_order), held, "big"
    ) == Decimal(meant)


def test_a_number_by_which_a_device_says_that_it_has_none_is_no_value():
    sunspec = value(value_type="int16", no_value=[Decimal(-32768)], scale=Decimal("0.1"), offset=Decimal(5))

    assert decode_registers(sunspec, words(">h", -32768), "big") is None
    assert decode_registers(sunspec, words(">h", 10), "big") == 6
    assert decode_registers(value(value_type="float32"), words(">f", float("nan")), "big") is None


def test_values_come_at_each_poll_with_the_scale_and_order_of_the_file(site, device, agent):
    device.hold("holding", 3, *words(">h", -125))
    device.hold("holding", 10, *words(">f", 21.1)[::-1])
    registers = [
        {"address": 3, "value_type": "int16", "scale": "0.1"},
        {"address": 10, "value_type": "float32", "word_order": "little"},
    ]
    running = agent(site.configuration(site.modbus(device, *registers, unit_id=7)))
    running.start()
    until(lambda: len(site.events("kiln")) >= 6, what="three polls are there")

    told = site.told("kiln", "temperature", "quality", "status")

    assert {row[1:] for row in told[:6]} == {
        (Decimal("-12.5"), "good", "Good"), (Decimal("21.1"), "good", "Good"),
    }  # fmt: skip
    reference = site.events("kiln")[0]["client_reference"]
    assert reference.startswith(("drives/holding/3@", "drives/holding/10@"))
    moments = sorted(datetime.fromisoformat(row[0]) for row in told)
    assert moments[-1].timestamp() - moments[0].timestamp() > 0.3


def test_a_register_that_is_not_there_is_bad_and_keeps_no_other_from_being_read(site, device, agent):
    device.hold("input", 8, 42)
    registers = [{"table": "input", "address": address, "value_type": "uint16"} for address in (8, 9)]
    running = agent(site.configuration(site.modbus(device, *registers)))

    running.start()

    until(lambda: len(site.events("kiln")) >= 2, what="a poll is there")
    assert {row[1:] for row in site.told("kiln", "temperature", "quality", "status")} == {
        (42, "good", "Good"), (None, "bad", "IllegalDataAddress 0x02"),
    }  # fmt: skip
    fact = running.spooled().facts["source/drives"]
    assert (fact["state"], fact["problems"]) == ("reading", {"input/9": "IllegalDataAddress 0x02"})
    assert "drives: input/9 cannot be read: IllegalDataAddress 0x02." in complaints(running)


def complaints(running):
    running.call("check", "--connect", code=1)
    return running.log.read_text()


def test_a_device_that_does_not_answer_gives_bad_readings_until_it_does(site, device, agent):
    registers = [{"address": 1, "value_type": "uint16"}, {"address": 30, "value_type": "int16"}]
    running = agent(site.configuration(site.modbus(device, *registers)))
    device.hold("holding", 1, 5)
    running.start()
    until(lambda: site.events("kiln"), what="the device is read")

    def rows():
        return {row[1:] for row in site.told("kiln", "temperature", "quality", "status")}

    device.hang()
    until(lambda: (None, "bad", "NoAnswer") in rows(), what="silence is a bad reading")
    assert running.spooled().facts["source/drives"]["error"] == f"127.0.0.1:{device.port} does not answer."
    device.answer()
    device.hold("holding", 1, 6)
    until(lambda: (6, "good", "Good") in rows(), what="the device is read again")
    device.close()
    device.start()
    device.hold("holding", 1, 7)

    until(lambda: (7, "good", "Good") in rows(), what="a device that was started again is read")
    assert rows() <= {
        (0, "good", "Good"),
        (None, "bad", "NoAnswer"),
        *((n, "good", "Good") for n in (5, 6, 7)),
    }
