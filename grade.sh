#!/usr/bin/env bash
# Sets up what is missing and grades the answers of a class. See --help.
set -u
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

case ${1-} in
-h | --help | '')
  cat <<'EOF'
usage: ./grade.sh SUBMISSIONS [--out FOLDER] [--roster FILE.csv] [--points FILE.csv] [EXERCISE...]
SUBMISSIONS is what Moodle or Canvas let you download, unpacked; or a folder for each student, with the files that are
the student's, or a zip or tar file of them:
  SUBMISSIONS/NAME/.../06-dot-product-reduction/exercises/1-missing-barrier/kernel.cl
Everything else is taken from here. Without EXERCISE (06, 06/1) all are graded.
  --out FOLDER       for grades.csv, feedback/NAME.md and class.html (default: grades). What grade.sh has left there before
                     is kept, in FOLDER/earlier-1, ...; any other folder that is not empty is refused
  --roster FILE.csv  the gradebook as Canvas or Moodle exports it: who is in the class, for grades.csv
  --points FILE.csv  what exercises are worth, where it is not 1: lines such as 06/1,2 or, with half a point for an
                     answer that was begun and is not right, 06/1,2,0.5
Exit code 0: all graded; 1: so are all, but look at what it names; 2: wrong arguments, a file that cannot be understood, or something needed
is missing: then nothing was written.
EOF
  [ $# -gt 0 ] && exit 0
  exit 2
  ;;
esac

setup python3 oclgrind bubblewrap libopenmpi-dev openmpi-bin || say "going on with what is there"
command -v python3 >/dev/null || {
  say "grade.sh needs Python 3"
  exit 2
}
PYTHONUTF8=1 PYTHONPATH=$root exec python3 "$root/checker/grade.py" "$@"
