"""Where the embedded server lives: below closed folders, far from the root, as any user of the machine."""

import json
import os
import pwd
import shutil
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest
from tests.durability.processes import postmaster, postmasters_of

from weighbridge.db.embedded.instance import server
from weighbridge.db.embedded.location import wheel_binaries
from weighbridge.errors import Refusal

AS_ROOT = os.geteuid() == 0
ORDINARY_USER = next(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0)
AS_ORDINARY_USER = ("unshare", "--user", f"--map-user={ORDINARY_USER}", "--") if AS_ROOT else ()

only_as_root = pytest.mark.skipif(
    not AS_ROOT, reason="an ordinary user starts PostgreSQL itself, without a fallback"
)


def namespaces_are_allowed():
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*AS_ORDINARY_USER, "true"], check=False, capture_output=True).returncode == 0


def modes_above(path):
    return {folder: (stat.S_IMODE(folder.stat().st_mode), folder.stat().st_uid) for folder in path.parents}


def write_and_read(url, number):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number integer)")
        connection.execute("INSERT INTO kept VALUES (%s)", (number,))
        return [row[0] for row in connection.execute("SELECT number FROM kept ORDER BY number")]


def user_of(number):
    return Path(f"/proc/{number}").stat().st_uid


def test_below_a_closed_folder_it_starts_and_changes_no_mode_above_it(folder):
    closed = folder / "closed"
    (closed / "inner").mkdir(parents=True)
    closed.chmod(0o700)
    data_dir = closed / "inner" / "data"
    data_dir.mkdir(mode=0o755)
    above = modes_above(data_dir / "postgres")

    with server(data_dir) as url:
        written = write_and_read(url, 1)
        sockets = Path(psycopg.conninfo.conninfo_to_dict(url)["host"])
        socket_mode = stat.S_IMODE(sockets.stat().st_mode)

    assert written == [1]
    assert socket_mode == 0o700
    assert stat.S_IMODE((data_dir / "postgres").stat().st_mode) == 0o700
    assert modes_above(data_dir / "postgres") == above


def test_a_path_too_long_for_a_socket_gets_a_short_private_folder_that_is_found_again(folder, made_once):
    data_dir = Path(shutil.copytree(made_once, folder / ("a-long-name-" * 8) / "data"))

    with server(data_dir) as url:
        write_and_read(url, 1)
        sockets = Path(psycopg.conninfo.conninfo_to_dict(url)["host"])
        with server(data_dir) as again:
            assert again == url

    assert len(bytes(sockets / ".s.PGSQL.5432")) <= 103
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert json.loads((data_dir / "postgres" / "place.json").read_text()) == {"sockets": str(sockets)}

    with server(data_dir) as url:
        assert psycopg.conninfo.conninfo_to_dict(url)["host"] == str(sockets)
        assert write_and_read(url, 2) == [1, 2]


def test_a_short_folder_that_is_not_private_any_more_is_replaced(folder, made_once):
    data_dir = Path(shutil.copytree(made_once, folder / ("a-long-name-" * 8) / "data"))
    with server(data_dir) as url:
        first = Path(psycopg.conninfo.conninfo_to_dict(url)["host"])
    first.chmod(0o777)

    with server(data_dir) as url:
        second = Path(psycopg.conninfo.conninfo_to_dict(url)["host"])
        assert write_and_read(url, 1) == [1]

    assert second != first
    assert stat.S_IMODE(first.stat().st_mode) == 0o777
    shutil.rmtree(first)


def test_an_ordinary_user_starts_it_without_any_help(fresh_dir, hold):
    if AS_ROOT and not namespaces_are_allowed():
        pytest.skip("root can become an ordinary user that owns the test's files in a user namespace only")

    program = hold(fresh_dir, prefix=AS_ORDINARY_USER)

    assert write_and_read(program.line(), 1) == [1]
    assert program.finish() == 0
    assert postmaster(fresh_dir) is None


@only_as_root
def test_root_and_the_ordinary_user_find_the_same_server(data_dir, hold):
    if not namespaces_are_allowed():
        pytest.skip("root can become an ordinary user that owns the test's files in a user namespace only")
    ordinary = hold(data_dir, prefix=AS_ORDINARY_USER)
    url = ordinary.line()
    number = postmaster(data_dir)

    with server(data_dir) as found:
        assert found == url
        assert postmaster(data_dir) == number
        assert ordinary.finish() == 0
        assert write_and_read(url, 1) == [1]

    assert postmaster(data_dir) is None


@only_as_root
def test_where_root_gets_no_namespace_an_unprivileged_user_runs_it_below_var_lib(folder):
    data_dir = folder / "closed" / "data"
    data_dir.mkdir(parents=True)
    (folder / "closed").chmod(0o700)
    above = modes_above(data_dir / "postgres")

    with server(data_dir, may_use_namespaces=False) as url:
        assert write_and_read(url, 1) == [1]
        home = Path(json.loads((data_dir / "postgres" / "place.json").read_text())["home"])
        (number,) = postmasters_of(home / "cluster")
        user = user_of(number)
        socket_mode = stat.S_IMODE((home / "run").stat().st_mode)

    assert home.parent == Path("/var/lib/weighbridge")
    assert user != 0
    assert home.stat().st_uid == user
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert socket_mode == 0o700
    assert postmasters_of(home / "cluster") == []
    assert modes_above(data_dir / "postgres") == above

    with server(data_dir) as url:
        assert write_and_read(url, 2) == [1, 2]


@only_as_root
def test_a_copy_of_a_data_directory_does_not_take_over_its_server_below_var_lib(folder):
    with server(folder / "first", may_use_namespaces=False) as url:
        write_and_read(url, 1)
    shutil.copytree(folder / "first", folder / "copy")

    with pytest.raises(Refusal, match="is a copy of it"), server(folder / "copy"):
        pass

    (folder / "first").rename(folder / "moved")
    shutil.rmtree(folder / "copy")
    with server(folder / "moved") as url:
        assert write_and_read(url, 2) == [1, 2]


@only_as_root
def test_root_uses_the_database_of_an_ordinary_user_as_that_user(folder, data_dir):
    if _binaries_are_closed_to_others():
        pytest.skip("the installed binaries lie below a folder that only root may enter")
    folder.chmod(0o755)
    for path in [data_dir, *data_dir.rglob("*")]:
        os.chown(path, ORDINARY_USER, -1)

    with server(data_dir) as url:
        assert user_of(postmaster(data_dir)) == ORDINARY_USER
        assert write_and_read(url, 1) == [1]


def _binaries_are_closed_to_others():
    probe = [str(wheel_binaries() / "bin" / "postgres"), "--version"]
    try:
        done = subprocess.run(probe, user=ORDINARY_USER, cwd="/", check=False, capture_output=True)
    except PermissionError:
        return True
    return done.returncode != 0
