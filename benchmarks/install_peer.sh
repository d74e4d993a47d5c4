#!/bin/sh
# Set NeuraLogic up in an environment of its own: sh install_peer.sh PYTHON FOLDER. Java comes from apt-get where it is missing.
set -eu
python=$1
folder=$2

if ! command -v java >/dev/null 2>&1 && [ -z "${JAVA_HOME:-}" ]; then
    if command -v apt-get >/dev/null 2>&1; then
        as_root=
        if [ "$(id -u)" -ne 0 ]; then
            if ! command -v sudo >/dev/null 2>&1; then
                echo "Java is missing: run 'apt-get install default-jre-headless' as root, then call make again." >&2
                exit 1
            fi
            as_root=sudo
        fi
        echo "Installing Java with apt-get" >&2
        $as_root apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null
    else
        echo "NeuraLogic needs Java 17 or newer: install it so that 'java' is found, then call make again." >&2
        exit 1
    fi
fi
if ! "$folder/bin/python" -c 'import neuralogic' >/dev/null 2>&1; then
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check neuralogic==0.9.2
fi
