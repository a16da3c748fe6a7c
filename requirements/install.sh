#!/usr/bin/env bash
# Build .venv from the lock files: `[PYTHON=python3.12] [GPU=1] requirements/install.sh`.
# A second run brings an existing .venv up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${PYTHON:=python3}" "${GPU:=0}"
venv=$PWD/.venv
cpu_index=https://download.pytorch.org/whl/cpu

export PIP_USER=0  # pip refuses to install into an environment otherwise
# uv fails, and pip warns, where they cannot keep a cache, as with a home of nobody's.
cache=${UV_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/uv}
if ! { mkdir -p "$cache" && [[ -w $cache ]]; } 2>/dev/null; then
    export UV_NO_CACHE=1 PIP_NO_CACHE_DIR=1
fi

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }
modern() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

make_venv() {
    if modern "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        return
    fi
    command -v "$PYTHON" >/dev/null || fail "there is no $PYTHON. Install Python 3.11 or later," \
        "or name one: make setup PYTHON=/path/to/python3.12"
    modern "$PYTHON" || fail "$PYTHON is $("$PYTHON" --version 2>&1), and 3.11 or later is" \
        "needed. Name another one: make setup PYTHON=python3.12"
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || fail "$PYTHON lacks its venv module." \
        "On Debian and Ubuntu: apt-get install python3-venv"
    rm -rf "$venv"
    "$PYTHON" -m venv "$venv"
}

# uv does not read pip's settings: hand on where this machine gets packages, and whom it trusts.
adopt_pip_settings() {
    local settings index certificate place
    settings=$("$venv/bin/pip" config list)
    pip_setting() { sed -nE "/^[a-z:]+\.$1='/{s///;s/'\$//;s/\\\\n/ /g;p;q;}" <<<"$settings"; }

    index=${UV_DEFAULT_INDEX:-$(pip_setting index-url)}
    certificate=${SSL_CERT_FILE:-$(pip_setting cert)}
    [[ -z $index ]] || export UV_DEFAULT_INDEX=$index
    [[ -z $certificate ]] || export SSL_CERT_FILE=$certificate
    for place in $(pip_setting find-links); do
        # A folder that does not exist is nothing to pip and an error to uv.
        if [[ $place == *://* || -d $place ]]; then
            export UV_FIND_LINKS=${UV_FIND_LINKS:+$UV_FIND_LINKS,}$place
        fi
    done
}

# Where Python is told to keep no compiled files, as in many containers, every start of every stage
# would compile torch again: seconds each. Compile once instead.
if [[ -n ${PYTHONDONTWRITEBYTECODE:-} ]]; then
    export UV_COMPILE_BYTECODE=1
fi

install() { "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps "$@"; }
locked() { # locked NAME [option ...]
    local lock=requirements/$1.lock
    shift
    install --require-hashes --requirements "$lock" "$@"
}
installed() { # installed NAME [PATTERN]: is it there, in a version that fits the pattern?
    local version
    version=$("$venv/bin/python" -c "import importlib.metadata as m; print(m.version('$1'))" \
        2>/dev/null) || return 1
    # shellcheck disable=SC2053
    [[ $version == ${2:-*} ]]
}
remove() { "$venv/bin/uv" pip uninstall --quiet --python "$venv/bin/python" "$@"; }
reachable() {
    "$venv/bin/python" - "$1" <<'END' 2>/dev/null
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=10).close()
END
}

# PyPI's torch for Linux brings gigabytes of CUDA libraries, so without a GPU it comes last.
install_torch() {
    if [[ $GPU != 1 && $(uname) == Linux ]]; then
        if [[ -n ${UV_FIND_LINKS:-} ]] && locked torch-cpu --no-index 2>/dev/null; then
            return
        fi
        if reachable "$cpu_index/torch/" && locked torch-cpu --default-index "$cpu_index"; then
            return
        fi
        say "no CPU build of torch can be had; taking PyPI's (2.6 GB, with CUDA)"
    elif installed torch '*+cpu'; then
        remove torch # else uv would think the version is there already
    fi
    # A CPU build that lies in UV_FIND_LINKS would be preferred to PyPI's.
    (unset UV_FIND_LINKS && locked torch)
}

# faiss-cpu and faiss-gpu write the same files: removing one breaks the other, so it goes first.
install_faiss() {
    local wanted=faiss-cpu other=faiss-gpu
    if [[ $GPU == 1 ]]; then
        wanted=faiss-gpu other=faiss-cpu
    fi
    if installed "$other"; then
        remove "$other"
    fi
    locked "$wanted"
}

say "installing into .venv, 2.5 GB (once; a minute or two)"
make_venv
"$venv/bin/pip" install -qq --disable-pip-version-check \
    --require-hashes --requirement requirements/installer.lock
adopt_pip_settings
# Two of the packages come as source only; the lock also pins what they are built with.
locked base --build-constraints requirements/base.lock
install_torch
install_faiss
install --no-build-isolation --editable .
say "done; in a shell, \`. .venv/bin/activate\` puts muver, snakemake and dvc on the path"
