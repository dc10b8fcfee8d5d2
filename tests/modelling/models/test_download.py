"""GET /models/{model_id}/document."""

from tests.given import accounting
from tests.given.accounting import MASS, document


def test_the_document_comes_back_character_by_character(api):
    text = "# Zwei Wagen, 12 °C\n" + document(MASS) + "\n\n"
    model = accounting.model(api, None, text)

    answer = api.get(f"/models/{model['id']}/document").expect(200)

    assert answer.content == text.encode()
    assert answer.headers["content-type"] == "application/yaml; charset=utf-8"
    assert 'filename="Deliveries 1.yaml"' in answer.headers["content-disposition"]


def test_each_version_has_its_own_document(api):
    first = accounting.model(api, None, document(MASS))
    second = accounting.version(api, first, document(MASS.replace("sum", "average")))

    texts = [api.get(f"/models/{one['id']}/document").text for one in (first, second)]

    assert ["aggregate: average" in text for text in texts] == [False, True]
