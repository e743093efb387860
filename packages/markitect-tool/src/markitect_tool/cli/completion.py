"""`mkt completion`: shell completion."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from markitect_tool.cli.output import write

_COMPLETE_VARIABLE = "_MKT_COMPLETE"  # what Click reads when the program is called mkt


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes mkt in your shell.

    \b
    bash:  eval "$(mkt completion bash)"      in ~/.bashrc
    zsh:   eval "$(mkt completion zsh)"       in ~/.zshrc
    fish:  mkt completion fish | source       in ~/.config/fish/config.fish
    """
    completer = get_completion_class(shell)
    assert completer is not None  # Click brings these three
    # ShellComplete.source, because the one for bash starts a bash only to ask its version.
    write(ShellComplete.source(completer(click.Command("mkt"), {}, "mkt", _COMPLETE_VARIABLE)))
