"""Whatever text comes from outside, it is read or refused; `make fuzz-readers` makes up a million others."""

import pytest
from tools.fuzz_readers.readers import CORPUS, READERS

TEXTS = [pytest.param(*file.parts[-2:], id="/".join(file.parts[-2:])) for file in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("reader", "name"), TEXTS)
def test_a_text_is_read_or_refused(reader, name):
    READERS[reader]((CORPUS / reader / name).read_bytes())
