#!/bin/sh
# Make sure that SWI-Prolog 9 or newer is there: apt-get (as root or through sudo) or brew, else say how to get it.
set -eu

version() {
    swipl -g "current_prolog_flag(version, V), write(V), nl" -t halt 2>/dev/null || echo 0
}

if command -v swipl >/dev/null 2>&1 && [ "$(version)" -ge 90000 ]; then
    exit 0
fi
if command -v apt-get >/dev/null 2>&1; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "SWI-Prolog is missing: run 'apt-get install swi-prolog-nox' as root, then call make again." >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "Installing SWI-Prolog with apt-get" >&2
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends swi-prolog-nox >/dev/null
elif command -v brew >/dev/null 2>&1; then
    echo "Installing SWI-Prolog with brew" >&2
    brew install swi-prolog
else
    echo "SWI-Prolog 9 or newer is missing: install it from the SWI-Prolog home page so that 'swipl' is found, then call make again." >&2
    exit 1
fi
if [ "$(version)" -lt 90000 ]; then
    echo "The SWI-Prolog of this system is older than version 9: install a newer one from the SWI-Prolog home page, then call make again." >&2
    exit 1
fi
