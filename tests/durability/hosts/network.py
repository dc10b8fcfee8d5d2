"""Hosts of a network inside this machine: a namespace for each, cabled to one bridge that the test can reach.

A host that is cut off hears and says nothing, and no connection to it is told so: packets are lost, as when a
cable is pulled.
"""

import itertools
import os
import shutil
import subprocess
from contextlib import contextmanager

_networks = itertools.count(1)


def why_not():
    """Why this machine cannot have such a network, as far as the user's rights tell; empty where it can."""
    if shutil.which("ip") is None:
        return "there is no program `ip` (iproute2)"
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    name = f"wb{os.getpid()}try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return made.stderr.strip()


class Network:
    """A bridge, and the hosts at it by their names."""

    def __init__(self):
        self._tag = f"wb{os.getpid()}{next(_networks)}"
        self._subnet = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}"
        self._bridge = f"{self._tag}b"[-15:]
        self._numbers = itertools.count(10)
        self._hosts = {}
        ip("link", "add", self._bridge, "type", "bridge")
        ip("addr", "add", f"{self._subnet}.1/24", "dev", self._bridge)
        ip("link", "set", self._bridge, "up")

    @property
    def subnet(self):
        return f"{self._subnet}.0/24"

    def add(self, name):
        """Make a host; gives its address."""
        number = next(self._numbers)
        space, outer, address = f"{self._tag}{name}", f"{self._tag}{number}"[-15:], f"{self._subnet}.{number}"
        self._hosts[name] = space, outer
        ip("netns", "add", space)
        ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", outer, "master", self._bridge, "up")
        ip("-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        ip("-n", space, "link", "set", "eth0", "up")
        ip("-n", space, "link", "set", "lo", "up")
        return address

    def on(self, name):
        """What a command begins with that runs on a host."""
        return ("ip", "netns", "exec", self._hosts[name][0])

    def cut(self, name):
        """Pull the cable of a host."""
        ip("link", "set", self._hosts[name][1], "down")

    def join(self, name):
        """Plug it in again."""
        ip("link", "set", self._hosts[name][1], "up")

    def remove(self):
        for space, outer in self._hosts.values():
            subprocess.run(["ip", "link", "del", outer], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)
        ip("link", "del", self._bridge)


@contextmanager
def network():
    """A network without hosts, gone when the block ends."""
    made = Network()
    try:
        yield made
    finally:
        made.remove()


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
