# Sets up the machine; sourced by ./quickstart, ./check and other scripts. Expects the root of the tree in $root.
# shellcheck shell=bash

# Debian 12 packages: those to build Flashloom, and all of these plus those to test it and to run its studies.
build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libsystemc-dev libboost1.81-dev libboost-iostreams1.81-dev libtomlplusplus-dev nlohmann-json3-dev
  libcli11-dev libfmt-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libxxhash-dev nbdkit-plugin-dev
)
packages=(
  "${build_packages[@]}" libgtest-dev librapidcheck-dev libbenchmark-dev dpkg-dev file
  gnuplot-nox fonts-dejavu-core python3 python3-venv python3-jsonschema fio fio-examples valgrind
  nbdkit libnbd-bin qemu-utils clang-format
)

program=${0##*/}

say() { printf '%s: %s\n' "$program" "$*"; }
fail() {
  printf '%s: error: %s\n' "$program" "$*" >&2
  exit 1
}

# Shows the progress of a command that writes "[done/all] ..." to LOG, as ninja does. Updates one line until it is killed.
# progress NAME LOG
progress() {
  local name=$1 log=$2 begin=$SECONDS counts
  while sleep 1; do
    counts=$(grep -aoE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1)
    [[ $counts =~ ([0-9]+)/([0-9]+) ]] || continue
    printf '\r%s: %s: %d of %d, about %d s to go \e[K' "$program" "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" \
      $(((SECONDS - begin) * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1]))
  done
}

# Runs a command quietly; if it fails, shows the end of its output and stops. On a terminal one line shows its progress.
# step NAME LOG COMMAND...
step() {
  local name=$1 log=$2 status=0 watcher=
  shift 2
  local begin=$SECONDS
  say "$name"
  mkdir -p "${log%/*}"
  : >"$log"
  if [[ -t 1 ]]; then
    progress "$name" "$log" &
    watcher=$!
  fi
  "$@" >"$log" 2>&1 || status=$?
  if [[ -n $watcher ]]; then
    { kill "$watcher" && wait "$watcher"; } 2>/dev/null || true
    printf '\r\e[K'
  fi
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    fail "$name failed: $* (all it said is in $log)"
  fi
  if ((SECONDS - begin >= 5)); then say "$name: $((SECONDS - begin)) s"; fi
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

# Installs missing packages; needs root only if some are missing.
install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is no Debian: install what cmake/Dependencies.cmake looks for, then build with cmake --preset release"
  local missing=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing, and there is no root and no sudo: ${missing[*]}"
    as_root=(sudo)
  fi
  local log=$root/out/setup.log
  local patient=(-o DPkg::Lock::Timeout=600)  # seconds; another apt, as of an unattended upgrade, ends before
  step "updating the package lists" "$log" "${as_root[@]}" apt-get "${patient[@]}" update
  step "installing ${missing[*]}" "$log" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${patient[@]}" install --yes --no-install-recommends "${missing[@]}"
}

# Removes a build folder that was configured for another source folder: CMake cannot use it after a move or a copy.
# drop_moved_build FOLDER
drop_moved_build() {
  local cache=$1/CMakeCache.txt
  [[ -f $cache ]] || return 0
  if ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    say "$1 was configured for another folder: starting it anew"
    rm -rf -- "$1"
  fi
}

# The virtual environment of the studies' engine; FLASHLOOM_VENV overrides its place.
venv=${FLASHLOOM_VENV:-$root/.venv}

# Becomes a program of the studies' engine. What only prints help or a list needs no package, and begins at once; the modules of
# searches (and so renew) load numpy first.
# run_engine MODULE [ARGUMENT...]
run_engine() {
  local python=$venv/bin/python
  case "$1 ${*:2} " in
    engine.renew* | engine.search*) install_python ;;
    *" --help "* | *" -h "* | *" --list "* | *" --stale "*) [[ -x $python ]] || python=python3 ;;
    *) install_python ;;
  esac
  export PYTHONPATH=$root/experiments PYTHONDONTWRITEBYTECODE=1
  exec "$python" -m "$@"
}

# Makes the virtual environment if it is missing or experiments/engine/requirements.txt has changed. It is filled beside what
# follows, since pip waits for the network most of the time: end_python waits for it.
python_job=
begin_python() {
  local wanted=$root/experiments/engine/requirements.txt python=/usr/bin/python3
  if [[ -x $venv/bin/python ]] && cmp --silent "$wanted" "$venv/requirements.txt"; then return 0; fi
  [[ -x $python ]] || python=python3
  rm -rf -- "$venv"
  step "making the Python environment of the studies" "$root/out/venv.log" "$python" -m venv "$venv"
  set -m  # a process group of its own, which can be ended
  {
    step "installing snakemake and what it needs" "$root/out/pip.log" \
      "$venv/bin/python" -m pip install --disable-pip-version-check --require-hashes --only-binary :all: --no-binary connection-pool --requirement "$wanted"
    cp -- "$wanted" "$venv/requirements.txt"
  } 2>&1 | cat &  # no progress: what runs beside it shows its own
  python_job=$!
  set +m
  # shellcheck disable=SC2064
  trap "kill -- -$(jobs -p %%) 2>/dev/null || true" EXIT  # what fails beside it ends it, too
}
end_python() {
  if [[ $python_job ]]; then
    wait "$python_job" || fail "there is no Python environment of the studies (all that pip said is in $root/out/pip.log)"
    trap - EXIT
  fi
}
install_python() {
  begin_python
  end_python
}

# The virtual environment in which tools/site makes the site; FLASHLOOM_SITE_VENV overrides its place.
site_venv=${FLASHLOOM_SITE_VENV:-$root/.cache/site}

install_site() {
  local wanted=$root/tools/docs/site.txt python=/usr/bin/python3
  if [[ -x $site_venv/bin/python ]] && cmp --silent "$wanted" "$site_venv/requirements.txt"; then return 0; fi
  [[ -x $python ]] || python=python3
  rm -rf -- "$site_venv"
  step "making the Python environment of the site" "$root/out/site.log" "$python" -m venv "$site_venv"
  step "installing mkdocs-material" "$root/out/site.log" \
    "$site_venv/bin/python" -m pip install --disable-pip-version-check --require-hashes --only-binary :all: --requirement "$wanted"
  cp -- "$wanted" "$site_venv/requirements.txt"
}
