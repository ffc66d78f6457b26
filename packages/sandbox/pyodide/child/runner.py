"""Runs cells as a notebook does: output in order, the value of the last expression, errors without our own frames.

It is loaded once, before the memory snapshot is taken; `start` is called in every process after that.
"""

import ast
import asyncio
import builtins
import gc
import importlib
import inspect
import io
import json
import linecache
import os
import random
import sys
import time
import traceback
import warnings

# Held here, so that code which replaces the names of builtins changes its own world only.
from builtins import BaseException, Exception, compile, eval, exec, hasattr, isinstance, len, open, repr, str

FOLDER = "/mnt/data"
CELL = "<cell "
OWN = "<sandbox>"
NOT_FOR_CODE = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip")

_cells = 0
_shown = 0
_loop = None
_version = ""
_names = sys.modules["__main__"].__dict__
_available = {}


def start(version, available):
    """`available`: what this version of Pyodide has wheels for, import name to file name."""
    global _loop, _version
    _version = version
    _available.update(json.loads(available))
    random.seed()
    time.tzname = ("UTC", "UTC")
    sys.path[:] = [FOLDER] + [path for path in sys.path if path]
    sys.argv[:] = [""]
    sys.stdin = open("/dev/stdin", encoding="utf-8")
    sys.stdout = sys.__stdout__ = _unbuffered(1)
    sys.stderr = sys.__stderr__ = _unbuffered(2)
    asyncio.events._set_running_loop(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asyncio.set_event_loop_policy(_Policy())
    _loop = _Loop()
    asyncio.set_event_loop(_loop)
    _forget_bridge()
    _warm_up()


def _warm_up():
    """What the first cell needs is compiled now: a new session answers sooner."""
    try:
        _evaluate("[repr(1), 1 / 0]", f"{CELL}0>")
    except ZeroDivisionError as error:
        _describe(error)


def _unbuffered(descriptor):
    """What is printed to the one never overtakes what was printed to the other."""
    raw = open(descriptor, "wb", buffering=0, closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


def run(code):
    """One cell. Whatever it does wrong is printed; nothing is raised."""
    global _cells
    _cells += 1
    name = f"{CELL}{_cells}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        _show_value(_evaluate(code, name))
        _show_figures()
    except SystemExit as stop:
        if stop.code not in (None, 0):
            _print_error(f"SystemExit: {stop.code}\n")
    except BaseException as error:
        _print_error(_describe(error))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def imports_of(code):
    """Top-level names that the code, or a module beside its files, imports."""
    sources = [code]
    try:
        for entry in os.scandir(FOLDER):
            if entry.name.endswith(".py") and entry.stat().st_size < 1_000_000:
                with open(entry.path, encoding="utf-8", errors="replace") as file:
                    sources.append(file.read())
    except OSError:
        pass
    names = set()
    for source in sources:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names.add(node.module.split(".")[0])
    return json.dumps(sorted(names))


def files_added(_):
    """Packages came: what Python remembers of folders is not true any more."""
    importlib.invalidate_caches()


def _forget_bridge():
    """Nothing needs the way to JavaScript any more; behind it the gate is closed."""
    sys.modules["_pyodide._importhook"].jsfinder.jsproxies.clear()
    for name in [name for name in sys.modules if name.split(".")[0] in NOT_FOR_CODE]:
        module = sys.modules.pop(name)
        names = vars(module) if type(module) is type(sys) else {}
        for key in [key for key, value in names.items() if type(value).__name__ == "JsProxy"]:
            del names[key]
    rest = [finder for finder in sys.meta_path if type(finder).__name__ != "JsFinder"]
    sys.meta_path[:] = [_Closed, *rest]
    gc.collect()


class _Closed:
    """The way to JavaScript is closed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in NOT_FOR_CODE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _evaluate(code, name):
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        _perform(compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), _names)
    if last is not None:
        expression = ast.Expression(last.value)
        return _perform(compile(expression, name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), _names)


def _perform(compiled, names):
    result = eval(compiled, names)
    if compiled.co_flags & inspect.CO_COROUTINE:
        return _loop.run_until_complete(result)
    return result


def _show_value(value):
    if value is None:
        return
    builtins._ = value
    picture = value._repr_png_() if hasattr(type(value), "_repr_png_") else None
    if isinstance(picture, bytes):
        show_image(picture)
    else:
        sys.stdout.write(repr(value) + "\n")


def _show_figures():
    """Figures that nobody showed, as notebooks do at the end of a cell."""
    if "matplotlib.pyplot" in sys.modules:
        import sandbox_figures

        sandbox_figures.show()


def show_image(png):
    global _shown
    _shown += 1
    with open("/dev/image", "wb", buffering=0) as device:
        device.write(f"figure-{_shown}.png\n".encode() + png)


def _describe(error):
    try:
        trace = error.__traceback__
        while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(CELL):
            trace = trace.tb_next
        if isinstance(error, ModuleNotFoundError):
            _add_advice(error)
        described = traceback.TracebackException(type(error), error, trace, compact=True)
        _drop_own_frames(described)
        return "".join(described.format())
    except BaseException as problem:
        return f"{type(error).__name__} (it could not be shown: {type(problem).__name__})\n"


def _drop_own_frames(described):
    waiting = [described]
    for part in waiting:
        part.stack[:] = [frame for frame in part.stack if frame.filename != OWN]
        waiting += [other for other in (part.__cause__, part.__context__, *(part.exceptions or ())) if other]


def _add_advice(error):
    name = (error.name or "").split(".")[0]
    if not name or name in NOT_FOR_CODE or name in sys.stdlib_module_names:
        return
    wheel = _available.get(name)
    which = f"the wheel {wheel} of Pyodide {_version}" if wheel else "a wheel of it"
    error.add_note(
        f"{name} is not installed in this sandbox, and nothing can be downloaded from here. "
        f"Whoever runs the server can add it: put {which} into the sandbox's packages folder."
    )


def _print_error(text):
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    with open("/dev/stderr", "wb", buffering=0) as device:
        device.write(text.encode("utf-8", "backslashreplace"))


def _input(prompt=""):
    raise EOFError("input() has nobody to ask here: put the value into the code")


_sleep_itself = sys.modules["pyodide.webloop"]._orig_sleep


def _sleep(seconds):
    """Emscripten's own sleep keeps the processor busy."""
    if isinstance(seconds, (int, float)) and 0 < seconds < 1e9:
        with open("/dev/sleep", "wb", buffering=0) as device:
            device.write(str(seconds * 1000).encode())
    else:
        _sleep_itself(seconds)


class _Nobody:
    """There is no file or socket to wait for, only time."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("everything waits, and nothing is left that could happen")
        if timeout > 0:
            _sleep(timeout)
        return []

    def get_map(self):
        return {}

    def close(self):
        pass


class _Loop(asyncio.BaseEventLoop):
    """An event loop of plain Python: Pyodide's own needs the way to JavaScript."""

    def __init__(self):
        super().__init__()
        self._selector = _Nobody()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *args):
        """There are no threads: at once."""
        future = self.create_future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop


def _install():
    webloop = sys.modules["pyodide.webloop"]
    asyncio.run = webloop._orig_run
    asyncio.runners.run = webloop._orig_run
    time.sleep = _sleep
    builtins.input = _input


_install()
