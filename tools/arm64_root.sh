#!/bin/sh
# Lays a Python for ARM and an emulator of the processor into .venv/arm64, from Debian's packages, where they
# can be had; nothing of it is installed on the machine. It fails nothing: without them the other tests run.
TESTS="tests/agent/single_file/test_arm.py: the agent's file for ARM, in an emulator"
FOLDER=.venv/arm64

[ -e "$FOLDER/ready" ] && exit 0

leave_out() {
    echo "A Python for ARM cannot be had here ($1); left out are $TESTS."
    exit 0
}

# An apt of its own for each processor, with the sources of the machine, whose packages stay as they are.
apt() {
    state=$FOLDER/apt-$1
    processor=$1
    shift
    timeout 300 apt-get -qq -o "APT::Architecture=$processor" -o "APT::Architectures::=$processor" \
        -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" \
        -o "APT::Sandbox::User=$(id -un)" "$@" > "$FOLDER/log" 2>&1
}

download() {
    state=$FOLDER/apt-$1
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    : > "$state/status"
    apt "$1" update && apt "$@"
}

command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || leave_out "there is no apt-get"
rm -rf "$FOLDER"
mkdir -p "$FOLDER/root"
FOLDER=$(cd "$FOLDER" && pwd)

download arm64 --yes --no-install-recommends --download-only install python3 libc6 || leave_out "see $FOLDER/log"
for package in "$FOLDER"/apt-arm64/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$FOLDER/root" || leave_out "$package cannot be read"
done

if ! command -v qemu-aarch64-static > /dev/null; then
    native=$(dpkg --print-architecture)
    cd "$FOLDER" || exit 0
    download "$native" download qemu-user-static || leave_out "see $FOLDER/log"
    dpkg-deb --fsys-tarfile qemu-user-static_*.deb | tar -xf - ./usr/bin/qemu-aarch64-static ||
        leave_out "the emulator cannot be read"
    rm -f qemu-user-static_*.deb
fi
rm -rf "$FOLDER"/apt-*
: > "$FOLDER/ready"
