"""A real browser for tests: it shows pages in frames, and browser.js measures them.

Only the command line is used. The pages come from a server in the test, which also sees what they ask for; a
frame can have any width that a test wants, even below the smallest window.
"""
import contextlib
import html
import http.server
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

NAMES = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome",
         "chrome-headless-shell", "firefox", "firefox-esr")
NAMED_BY = "ROLLBENCH_BROWSER"
NONE = ("note: no report was looked at in a browser, light or dark: none is where the tests run; "
        f"`scripts/with-env scripts/apt-install chromium-headless-shell`, or {NAMED_BY}=PATH")
DEADLINE = 40  # seconds for a start, all pages and the answer
SCRIPT = pathlib.Path(__file__).with_name("browser.js")
HIGH = 844
# It stands before the page's policy, which would forbid it.
LISTEN = """<script>
window.rollbenchErrors = [];
addEventListener("error", e => { if (e.message) rollbenchErrors.push(e.message); }, true);
addEventListener("securitypolicyviolation", e => rollbenchErrors.push(
	`the page's policy forbids ${e.effectiveDirective} ${e.blockedURI}`));
</script>"""


def find():
    """The browser's path; None, and a note, if there is none or ROLLBENCH_BROWSER is empty."""
    named = os.environ.get(NAMED_BY)
    path = next(filter(None, map(shutil.which, NAMES if named is None else [named])), None)
    assert path or not named, f"{NAMED_BY}={named}: no such program here"
    if not path:
        print(NONE)
    return path


def chromium(program, folder, dark, address):
    return [program, "--headless", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-breakpad", "--no-proxy-server",
            f"--user-data-dir={folder}", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--window-size=1400,1000", address]


def firefox(program, folder, dark, address):
    settings = {"layout.css.prefers-color-scheme.content-override": 0 if dark else 1, "network.proxy.type": 0,
                "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
                "browser.startup.homepage_override.mstone": "ignore",
                "datareporting.policy.dataSubmissionEnabled": False}
    (pathlib.Path(folder) / "user.js").write_text(
        "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in settings.items()))
    return [program, "--headless", "--no-remote", "--profile", folder, address]


@contextlib.contextmanager
def started(program, dark, address):
    """All processes that it starts end with it."""
    line = firefox if "firefox" in os.path.basename(program) else chromium
    with tempfile.TemporaryDirectory(prefix="rollbench-browser-", ignore_cleanup_errors=True) as folder, \
            tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen(line(program, folder, dark, address), stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "HOME": folder})
        try:
            yield process, said
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Handler(http.server.BaseHTTPRequestHandler):
    """server: `files`, path to (kind, bytes); `answer`, what browser.js measured."""

    def do_GET(self):
        kind, content = self.server.files.get(self.path.partition("?")[0], ("text/plain", b""))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        self.server.answer.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(files):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.answer = files, queue.Queue()
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def frames(pages, widths):
    """The page of all pages. It contains its icon, so that the browser asks for none."""
    shown = "".join(f'<iframe data-page="{html.escape(name)}" src="/page-{i}?{width}" width="{width}" '
                    f'height="{HIGH}"></iframe>' for i, name in enumerate(pages) for width in widths)
    return ('<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,">'
            "<style>:root { color-scheme: light dark } iframe { border: 0; display: block }</style>"
            f'<body>{shown}<script src="/browser.js"></script>')


def files_of(pages, widths, more):
    page = "text/html; charset=utf-8"
    files = {"/": (page, frames(pages, widths).encode()), "/browser.js": ("text/javascript", SCRIPT.read_bytes())}
    for i, text in enumerate(pages.values()):
        text, heads = re.subn("<head>", lambda head: head[0] + LISTEN, text, count=1)
        assert heads == 1, text[:200]
        files[f"/page-{i}"] = (page, text.encode())
    return {**files, **more}


def measure(program, pages, widths, dark, more=None):
    """{(page's name, width): what browser.js found}. pages: {name: text}; more: files they may ask for."""
    with served(files_of(pages, widths, more or {})) as server, \
            started(program, dark, f"http://127.0.0.1:{server.server_port}/") as (process, said):
        end, answer = time.monotonic() + DEADLINE, None
        while answer is None and time.monotonic() < end and process.poll() is None:
            with contextlib.suppress(queue.Empty):
                answer = server.answer.get(timeout=0.1)
        said.seek(0)
        ended = "no answer" if process.poll() is None else f"ended with status {process.poll()}"
        assert answer is not None, f"{program}: {ended}, {DEADLINE} s allowed\n{said.read()[-2000:]}"
    assert isinstance(answer, list), answer["error"]
    found = {(one["page"], one["inner"]): one for one in answer}
    assert set(found) == {(name, width) for name in pages for width in widths}, set(found)
    return found
