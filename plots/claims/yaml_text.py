"""YAML by libfyaml, the library that the rollbench program reads its experiment files with; Python has no YAML of its own."""
import ctypes
import json
import os

from plots.common.command import Refused

LIBRARY = "libfyaml.so.0"
AS_JSON = 5 << 20  # FYECF_MODE_JSON; plain scalars that are no JSON become strings


def _library():
    try:
        found = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise Refused(f"{error}; install libfyaml-dev (configs/packages.txt)") from error
    found.fy_document_build_from_file.restype = ctypes.c_void_p
    found.fy_document_build_from_file.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    found.fy_emit_document_to_string.restype = ctypes.c_void_p
    found.fy_emit_document_to_string.argtypes = [ctypes.c_void_p, ctypes.c_int]
    found.fy_document_destroy.argtypes = [ctypes.c_void_p]
    return found


def load(path):
    """What a file says, as dicts, lists, texts and numbers. libfyaml tells the line of a mistake on standard error."""
    library = _library()
    document = library.fy_document_build_from_file(None, os.fsencode(path))
    if not document:
        raise Refused(f"{path}: it cannot be read as YAML")
    text = library.fy_emit_document_to_string(document, AS_JSON)
    try:
        if not text:
            raise Refused(f"{path}: it cannot be read as YAML")
        return json.loads(ctypes.string_at(text).decode("utf-8"))
    finally:
        libc = ctypes.CDLL(None)
        libc.free.argtypes = [ctypes.c_void_p]
        libc.free(text)
        library.fy_document_destroy(document)
