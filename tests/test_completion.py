"""What a shell completes after ``muver``."""

import shutil
import subprocess
from pathlib import Path

import pytest

from muver.cli import main
from muver.completion import words

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("typed", "there", "not_there"),
    [
        ([""], {"query", "kb", "index", "--help"}, {"import", "create"}),
        (["index", ""], {"create", "evaluate"}, {"query"}),
        (["query", "--"], {"--mentions", "--json", "-k"}, {"query"}),
        (["index", "create", "kb", "--model", ""], {"muver", "blink_128"}, {"table1"}),
        (["show", ""], {"table1", "table3"}, {"muver_plain"}),
        (["query", "mu"], {"muver", "muver_plain"}, {"table1"}),
        (["serve", "mu"], set(), {"muver", "muver_plain"}),  # takes folders, which shells complete
        (["index", "evaluate", "mu"], {"muver", "muver_plain"}, {"table1"}),
        (["nonsense", ""], set(), {"query"}),
    ],
)
def test_what_may_stand_where_the_words_end(typed, there, not_there, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = {*words(typed)}
    assert there <= found and not not_there & found


def test_without_a_project_no_names_are_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not [*words(["show", ""])]


def test_a_shell_takes_its_script(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    called = "emulate sh; COMP_WORDS=(muver query --we); COMP_CWORD=2; _muver\n"
    called += "printf '%s\\n' \"${COMPREPLY[@]}\""
    script += 'COMP_WORDS=(muver query --rer); COMP_CWORD=2; _muver; echo "${COMPREPLY[@]}";'
    script += 'COMP_WORDS=(muver export --); COMP_CWORD=2; _muver; echo "${COMPREPLY[@]}";'
    script += "COMP_WORDS=(muver index create --out --mer); COMP_CWORD=4; _muver;"
    script += 'echo "${COMPREPLY[@]}"; COMP_WORDS=(muver ""); COMP_CWORD=1; _muver;'
    script += 'echo "${COMPREPLY[0]}";'
    script += 'COMP_WORDS=(muver index ev); COMP_CWORD=2; _muver; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "--rerank\n--help --log --to\n--merge\nkb\nevaluate\n"
    if found := shutil.which("zsh"):  # as bashcompinit calls it
        script = f"autoload -U compinit; compinit -uD; source <(muver completion zsh)\n{called}"
        done = subprocess.run([found, "-fc", script], capture_output=True, text=True)
        assert "--weights" in done.stdout.split(), done.stderr  # zsh itself filters
    for shell, said in (("zsh", "bashcompinit"), ("fish", "complete -c muver")):
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert said in script
        if found := shutil.which(shell):
            subprocess.run([found, "-n", "-c", script], check=True)
