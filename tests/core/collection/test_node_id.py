"""Ids of OPC UA nodes: what has their form can be sent to a server."""

import pytest

from weighbridge.core.collection.node_id import is_node_id

GUID = "72962b91-fa75-4ae6-8d28-b404dc7daf63"


@pytest.mark.parametrize(
    "text",
    [
        "i=85", "ns=2;i=4294967295", "ns=65535;s=Kiln.Temperature", "nsu=urn:plant;s=a;b=c", f"ns=1;g={GUID}",
        "ns=1;b=M/RbKBsRVkePCePcx24oRA==", "s= ",
    ],
)  # fmt: skip
def test_an_id_names_a_node_by_number_text_guid_or_bytes(text):
    assert is_node_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Kiln", "i=", "i=-1", "i=4294967296", "ns=65536;i=1", "ns=2", "nsu=;i=1", "x=1",
        f"g={'-' * 36}", "b=?", "b=M", "ns=2;ns=3;i=1",
    ],
)  # fmt: skip
def test_what_no_server_could_be_sent_is_no_id(text):
    assert not is_node_id(text)
