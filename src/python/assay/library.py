# SPDX-License-Identifier: Apache-2.0
"""Loads the native library."""


def load():
    """Returns the module assay.native. Raises ImportError, one line, if there is none."""
    try:
        from . import native
    except ImportError as error:
        if error.name not in (None, "assay.native", "assay") or "cannot import name" not in str(error):
            raise
        raise ImportError(
            "the package assay has no native library, which this function needs; it is built with "
            "Debian's pybind11-dev and python3-dev (src/python/README.md)",
            name="assay.native") from None
    return native
