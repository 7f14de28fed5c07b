"""The server of the page: from the options of the command line to a socket that answers."""

import os
import pathlib
import socket
import sys
import threading
import webbrowser

import jax
import uvicorn

from agents.play.lobby import Lobby
from agents.play.page.app import make_app
from configs.play import PlayConfig

GRACE = 1  # seconds that open connections get when the server ends
MOST_CONNECTIONS = 512


def run(config: PlayConfig) -> None:
    """Serves the page until it is interrupted.

    Raises:
        ValueError: for an unknown game or agent, or an address that cannot be listened on.
    """
    # Even small programs are kept, so that a restarted server answers at once.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    lobby = make_lobby(config)
    with _listen(config.host, config.port) as listener:
        port = listener.getsockname()[1]
        host = f"[{config.host}]" if ":" in config.host else config.host
        url = f"http://{host}:{port}/"
        what = config.game or "jaxgames"
        print(f"{what} is played at {url} (Ctrl-C ends the server)", flush=True)
        folder = config.folder or default_folder(config.game or "")
        print(f"games are kept in {folder}", flush=True)
        if config.browser:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()
        settings = uvicorn.Config(
            make_app(lobby, config.host),
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=GRACE,
            limit_concurrency=MOST_CONNECTIONS,
        )
        uvicorn.Server(settings).run(sockets=[listener])


def make_lobby(config: PlayConfig) -> Lobby:
    """Returns the games of a server.

    Raises:
        ValueError: for an unknown game, option or agent.
    """
    given = config.folder
    folder_of = default_folder if given is None else lambda game: given
    return Lobby(folder_of, config.game, config.env_options, config.seats)


def default_folder(game: str) -> pathlib.Path:
    """Returns the folder of a user's games of one kind, as the operating system wants it."""
    if sys.platform == "win32":
        base = pathlib.Path(os.environ.get("LOCALAPPDATA", pathlib.Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = pathlib.Path.home() / "Library/Application Support"
    else:
        base = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    return base / "jaxgames" / "games" / game


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ValueError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; "
            "choose another with --port, or --port=0 for any free one"
        ) from None
    return listener
