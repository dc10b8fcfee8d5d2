#!/bin/sh
# Looks for the programs that tests start and that no Python package brings, installs what is missing where
# that can be done, and says what is left out. It fails nothing: a machine without root or network runs the
# other tests.
#
# One line for each program: its name, the package of Debian and Ubuntu that has it, and what needs it.
NEEDED="
mosquitto mosquitto tests/agent and tests/durability/test_agent_kills.py: the agent reading MQTT
chromium chromium tests/browser: every page in a browser
node nodejs tests/reporting/bundle: the second checker of proof bundles, which needs version 20 or newer
npm npm tests/contract/test_foreign_tools.py: Spectral and a made TypeScript client
faketime faketime tests/durability/test_agent_kills.py: the agent's clock, which moves
nginx nginx tests/docs/test_proxy_howto.py: the printed proxy
caddy caddy tests/docs/test_proxy_howto.py: the printed Caddyfile
promtool prometheus tests/architecture/test_observing.py: the alerts, tried over figures of hours
pgbouncer pgbouncer tests/durability/test_pooler.py: requests and tasks behind PgBouncer
"
# With the argument `long`, what long tests alone need as well.
NEEDED_BY_LONG="
buildah buildah tests/release/test_image.py: the image, built as it is printed
mmdebstrap mmdebstrap tests/release/test_image.py: the base of that image, made of packages
"
[ "$1" = long ] && NEEDED="$NEEDED$NEEDED_BY_LONG"

PATH="$PATH:/usr/sbin:/usr/local/sbin"
updated=

install_package() {
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null || return 1
    if [ -z "$updated" ]; then
        timeout 60 apt-get -qq update > /dev/null 2>&1
        updated=yes
    fi
    # Not started by the package: the tests start their own.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive timeout 300 \
        apt-get -qq install --yes --no-install-recommends "$1" > /dev/null 2>&1
}

echo "$NEEDED" | while read -r program package tests; do
    [ -z "$program" ] && continue
    command -v "$program" > /dev/null && continue
    install_package "$package" && command -v "$program" > /dev/null && continue
    echo "$program is not installed and cannot be installed here; left out are $tests."
    echo "  On Debian and Ubuntu: apt-get install $package"
done
exit 0
