"""Builds the wheel and the source archive of this package (PEP 517), with nothing but Python itself."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
STEM = f"{PROJECT['name'].replace('-', '_')}-{PROJECT['version']}"
# The same sources give the same bytes. Zip files cannot be older than 1980.
BUILT = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315619200)


def license_text() -> bytes:
    """In a clone the licence is at its top, in the source archive it is here."""
    here = HERE / "LICENSE"
    return (here if here.exists() else HERE.parent.parent / "LICENSE").read_bytes()


def metadata() -> bytes:
    lines = ["Metadata-Version: 2.1"]
    lines += [f"{key}: {PROJECT[key.lower()]}" for key in ("Name", "Version")]
    lines += [f"Summary: {PROJECT['description']}", f"License: {PROJECT['license']}"]
    lines += [f"Requires-Python: {PROJECT['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {need}" for need in PROJECT["dependencies"]]
    for extra, needs in PROJECT["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    return ("\n".join(lines) + "\n\n" + (HERE / PROJECT["readme"]).read_text()).encode()


def sources() -> list[Path]:
    return sorted(path for path in (HERE / "src").rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None
) -> str:
    info = STEM + ".dist-info"
    files = {path.relative_to(HERE / "src").as_posix(): path.read_bytes() for path in sources()}
    files[f"{info}/LICENSE"] = license_text()
    files[f"{info}/METADATA"] = metadata()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: ballast\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for name, body in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(body)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = STEM + "-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, body in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(BUILT)[:6])
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, body)
    return name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    kept = [HERE / name for name in ("README.md", "backend.py", "pyproject.toml")] + sources()
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in kept}
    files |= {"LICENSE": license_text(), "PKG-INFO": metadata()}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, body in sorted(files.items()):
            entry = tarfile.TarInfo(f"{STEM}/{path}")
            entry.size, entry.mtime, entry.mode = len(body), BUILT, 0o644
            archive.addfile(entry, io.BytesIO(body))
    name = STEM + ".tar.gz"
    (Path(sdist_directory) / name).write_bytes(gzip.compress(packed.getvalue(), 9, mtime=BUILT))
    return name
