"""What the fresh interpreters of `markitect_tool.testing` promise."""

from markitect_tool.testing import run_fresh


def test_hidden_module_is_as_if_not_installed():
    code = "from importlib.util import find_spec; print(find_spec('click'), find_spec('yaml') is not None)"
    assert run_fresh(code, hide=["click"]).stdout == "None True\n"


def test_hidden_module_cannot_be_imported():
    ended = run_fresh("import click.core", hide=["click"])
    assert "ModuleNotFoundError: No module named 'click'" in ended.stderr


def test_forbidden_module_can_be_found_but_not_imported():
    ended = run_fresh(
        "from importlib.util import find_spec; print(find_spec('click').name); import click", forbid=["click"]
    )
    assert ended.stdout == "click\n"
    assert "ForbiddenError: click was imported" in ended.stderr


def test_forbidden_import_passes_handlers_of_import_errors():
    code = "try:\n    import click\nexcept ImportError:\n    print('handled')"
    assert run_fresh(code, forbid=["click"]).stdout == ""


def test_network_is_refused():
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    assert "ForbiddenError: socket." in run_fresh(code, refuse_side_effects=True).stderr


def test_child_process_is_refused():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-V'])"
    assert "ForbiddenError: subprocess.Popen" in run_fresh(code, refuse_side_effects=True).stderr
