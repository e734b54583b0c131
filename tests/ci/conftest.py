# SPDX-License-Identifier: Apache-2.0
"""Debian trees, in which tests install what others would install."""
import os
import shutil
import subprocess

import pytest

MIRROR = os.environ.get("ASSAY_MIRROR", "http://deb.debian.org/debian")


# Asked before any fixture makes packages.
needs_tree = pytest.mark.skipif(not shutil.which("debootstrap") or os.geteuid() != 0, reason="needs debootstrap and root")


class Tree:
    """A folder with a Debian 12 of its own."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, command, status=0, folder="/", variables=()):
        """Runs a command in the tree, which has /proc as a container does. Returns what it prints."""
        chroot = ["chroot", self.folder, "/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                  *(f"{name}={value}" for name, value in dict(variables).items()), "sh", "-c",
                  f"cd {folder} && {command}"]
        mount = 'mount -t proc proc "$0/proc" && exec "$@"'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", mount, self.folder, *chroot],
                              capture_output=True, text=True)
        assert done.returncode == status, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout


@pytest.fixture(scope="session")
def empty_tree(tmp_path_factory):
    """The smallest Debian that debootstrap makes; tests copy it."""
    folder = tmp_path_factory.mktemp("debian") / "tree"
    made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, MIRROR],
                          capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"debootstrap failed: {made.stdout.splitlines()[-1:]}")
    return folder


@pytest.fixture(scope="module")
def tree(empty_tree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy") / "tree"
    subprocess.run(["cp", "-a", empty_tree, folder], check=True)
    yield Tree(folder)
    shutil.rmtree(folder)
