"""The build of the web pages (server/web/build.py), which is a file of the build and no module of the server."""

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def build() -> ModuleType:
    """Its functions."""
    spec = importlib.util.spec_from_file_location("web_build", ROOT / "server/web/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages_can_be_built() -> bool:
    return bool(build().has_node() or build().is_current())
