"""What ./grade.sh reads: the submissions of a class, as people and learning platforms lay them out, the roster that says
who is in the class, and the file that says what an exercise is worth.

A student is a folder called like a login, or like a name; or what the platforms make of a download:

    Jane Doe_12345_assignsubmission_file_/...                Moodle, a folder for each student
    Jane Doe_12345_assignsubmission_file_answers.tar.gz      Moodle, without folders
    doejane_LATE_4711_99_answers.tar.gz                      Canvas: name, user, upload, and what the student called it
    anon_Qx3b2_99_answers.tar.gz                             Canvas, where names are hidden

The forms are those of mod/assign/classes/downloader.php in moodle/moodle, and of lib/content_zipper.rb and
lib/gradebook_exporter.rb in instructure/canvas-lms.
"""

import csv
import os
import re
import stat
import tarfile
import unicodedata
import zipfile

from checker.behaviour import kernels_of
from checker.exercise import Exercise, Problem
from checker.machine import ROOT

LARGEST = 1 << 20  # bytes of a file that somebody has written by hand
MOST_FILES = 20000  # in what a student has handed in
# The name ends at the first number: what a student has called a file may look like all of this.
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL)
CANVAS = re.compile(
    r"(?:LATE_)?(?P<name>anon|.+?)_(?:LATE_)?(?P<id>(?<=anon_)\w+?|\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL
)
LATE = re.compile(r"LATE_|[^_]+_LATE_\d")  # how Canvas marks it
PACKED = r"\.(?:zip|tar|tgz|tar\.\w+)"
ARCHIVE = re.compile(f"{PACKED}$", re.IGNORECASE)
NESTED = re.compile(f"{PACKED}/.*{PACKED}$", re.IGNORECASE)  # which is not unpacked
ANSWER = re.compile(r"(?:^|/)(?:kernel\.cl|host\.cpp)$")
# What may be meant as an answer, and what comes along from a Mac.
SOURCE = re.compile(r"(?<!CMakeLists)(?<!CMakeCache)\.(?:cl|c|cc|cpp|txt|rtf|pdf|docx?|odt|rar|7z)$", re.IGNORECASE)
OF_A_MAC = re.compile(r"(?:^|/)(?:__MACOSX/|\._)")

# What a roster's columns are called, and what stands in them. Canvas's do not depend on the language, Moodle's do.
COLUMNS = {
    "name": ["Student", "Full name", "Vollständiger Name", "Name"],
    "first": ["First name", "FirstName", "Vorname"],
    "last": ["Last name", "LastName", "Surname", "Nachname"],
    "number": ["ID"],  # Canvas's number of the user
    "login": (
        "SIS Login ID,SIS User ID,Integration ID,Username,Login,ID number,Email address,Email,"
        "Anmeldename,ID-Nummer,Matrikelnummer,E-Mail-Adresse,E-Mail"
    ).split(","),
    "kept": ["Section", "Root Account", "Institution", "Department", "Suspended", "Abteilung", "Gesperrt"],
}
KINDS = {name.casefold(): kind for kind, names in COLUMNS.items() for name in names}


# ---- Who handed in what ---------------------------------------------------------------------------


def students_in(folder):
    """{what a student is called here: (keys, places)}: the keys by which a roster may know the student, the surest first;
    the places (path, what the student called it). And the names of what nobody has handed in."""
    students, others = {}, []
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name[0] == ".":
            continue
        moodle = MOODLE.fullmatch(path.name)
        canvas = None if moodle or path.is_dir() else CANVAS.fullmatch(path.name)
        of = moodle or canvas
        if of and (path.is_dir() or of["file"]):
            called = f"{of['name']}_{of['id']}"
            name = squeezed(of["name"])
            keys = [("participant", f"{of['id']} {name}") if moodle else ("user", of["id"]), ("name", name)]
        elif path.is_dir() or ARCHIVE.search(path.name):
            called = path.name if path.is_dir() else ARCHIVE.sub("", path.name)
            keys = [("login", called.strip().casefold()), ("name", squeezed(called)), ("user", called)]
        else:
            others.append(path.name)
            continue
        own = "" if path.is_dir() else re.sub(r"-\d+(\.\w+)$", r"\1", of["file"]) if of else path.name  # kernel-1.cl
        students.setdefault(called, (keys, []))[1].append((path, own, int(canvas["upload"]) if canvas else 0))
    for _, places in students.values():
        places.sort(key=lambda place: -place[2])  # Canvas's uploads: the last one first
        places[:] = [(path, own) for path, own, _ in places]
    return students, others


def squeezed(name):
    """A name as both sides of a comparison have it: Moodle and Canvas leave out what a file's name may not have."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())


def regular(path):
    """The content of a plain file, or why there is none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return None, error.strerror
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None, "no plain file"
        return limited(opened)


def limited(opened):
    content = opened.read(LARGEST + 1)
    return (content, "") if len(content) <= LARGEST else (None, f"larger than {LARGEST >> 10} KiB")


def in_zip(path):
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist()[:MOST_FILES]:
            name = info.filename.replace("\\", "/")  # which some programs of Windows write
            yield name, lambda info=info: limited(archive.open(info))


def in_tar(path):
    with tarfile.open(path) as archive:
        for number, info in enumerate(archive):
            if number < MOST_FILES and info.isfile():
                yield info.name, lambda info=info: limited(archive.extractfile(info))


def handed_in(places):
    """The name of each file that a student has handed in, and a function that gives its content: uploads in their order, of
    folders the shortest names first, then archives; what lies in these, as ARCHIVE/NAME. Links are not followed."""
    files = [(own, str(path)) for path, own in places if own]
    for top in [path for path, own in places if not own]:
        for place, folders, names in os.walk(top):
            folders.sort()
            files += [(os.path.relpath(os.path.join(place, n), top), os.path.join(place, n)) for n in sorted(names)]
            if len(files) > MOST_FILES:
                break
    if not all(own for _, own in places):
        files.sort(key=lambda file: (bool(ARCHIVE.search(file[0])), file[0].count("/")))
    for name, path in files:
        yield name, lambda path=path: regular(path)
        if ARCHIVE.search(name) and not os.path.islink(path):
            for inner, content in (in_zip if zipfile.is_zipfile(path) else in_tar)(path):
                yield f"{name}/{inner}", content


def why_not(name):
    """Why a file that was handed in is not read as an answer."""
    *folders, file = name.split("/")
    if ARCHIVE.search(file):
        return f"an archive {'in an archive: unpack it' if NESTED.search(name) else 'without an answer to these exercises'}"
    if re.search(r"\.(?:rar|7z)$", file, re.IGNORECASE):
        return "not read: only zip and tar files are unpacked"
    if not ANSWER.search(file):
        return "not read: an answer is called kernel.cl or host.cpp, in small letters"
    if not folders or not re.match(r"\d-", folders[-1]):
        return f"of which exercise? Hand in its folder, too: NN-topic/exercises/K-name/{file}"
    if folders[-1] not in [place.name for place in ROOT.glob("[0-9][0-9]-*/exercises/*")]:
        return f"no exercise's folder is called {folders[-1]}"
    if not re.match(r"\d\d-", "".join(folders[-3:-2])):
        return "its exercise is not graded here, or its name is that of several: hand in the chapter's folder, too"
    return "its exercise, or this file of it, is not graded here"


def ours(name):
    """The file of the repository that lies at this place, if one does; else None."""
    parts = name.split("/")
    places = [ROOT / "/".join(parts[i:]) for i in range(len(parts))]
    return next((place for place in places if place.is_file()), None)


def is_ours(name):
    """Is this a file of the repository, which came along, or of a build?"""
    return "CMakeFiles" in name.split("/") or ours(name) is not None


def astray(exercise, files, unread):
    """Of an exercise to which nothing was done, what seems to be an answer to it at another place of its chapter. `unread`:
    {name: content} of the changed kernels that belong to no exercise that is graded."""
    if exercise.files != ["kernel.cl"] or files and files["kernel.cl"] != (exercise.folder / "kernel.cl").read_bytes():
        return
    for name, content in unread.items():
        if exercise.chapter not in name.split("/") or lacking(exercise, {"kernel.cl": content}):
            continue
        place = ours(name).parent
        if not (place / "exercise.json").exists() or lacking(Exercise(place), {"kernel.cl": content}):
            yield f"nothing was done there, and {name} is not as it was given: is that the answer?"


def answers_of(places, exercises):
    """{exercise: {file: content}} of a student, and what was not read, or twice there: (exercise or None, sentence) each."""
    ends = {}  # of the names of files: NN-topic/exercises/K-name/kernel.cl, or less where that is enough
    for exercise in exercises:
        for file in exercise.files:
            for end in (exercise.chapter, "exercises", exercise.name, file), (exercise.name, file), (file,):
                ends.setdefault(end, []).append((exercise, file))

    def whose(name):
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        known = ends.get(parts[-4:]) or (parts[-3:-2] != ("exercises",) and ends.get(parts[-2:])) or []
        return known[0] if len(known) == 1 else (None, None)

    found, wrong, read, unread, changed = {}, [], {}, [], {}
    try:
        for name, content in handed_in(places):
            if OF_A_MAC.search(name):
                continue
            exercise, file = whose(name)
            if not exercise:
                unread.append(name)
                place = ours(name) if name.endswith("/kernel.cl") else None
                text = content()[0] if place else None
                if text and text.replace(b"\r\n", b"\n") != place.read_bytes():
                    changed[name] = text
                continue
            text, why = content()
            if text and text[:2] in (b"\xff\xfe", b"\xfe\xff"):
                text, why = None, "saved as UTF-16, which no compiler reads: save it as UTF-8"
            earlier = found.get(exercise, {}).get(file)
            if text is None:
                wrong.append((exercise, f"{file}: {why}"))
            elif earlier is None:
                found.setdefault(exercise, {})[file], read[exercise, file] = text, name
            elif text != earlier:
                what = f"handed in twice: {read[exercise, file]} is read, a different {name} is not"
                wrong.append((exercise, f"{what}; remove one of them and grade again"))
    except Exception as error:  # damage has no end of kinds: zlib.error, lzma.LZMAError, struct.error, ...
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        counts = "; what was read before the damage counts" * bool(found)
        wrong.append((None, f"an archive that cannot be read: {why}{counts}"))
    for exercise, files in found.items():
        for kernel in lacking(exercise, files):
            wrong.append((exercise, f"kernel.cl has no kernel {kernel}: is it an answer to this exercise?"))
    for exercise in exercises:
        wrong += [(exercise, what) for what in astray(exercise, found.get(exercise, {}), changed)]
    meant = [
        name for name in dict.fromkeys(unread) if (SOURCE.search(name) or NESTED.search(name)) and not is_ours(name)
    ]
    if not found and not wrong:
        meant += sorted((name for name in unread if name not in meant), key=lambda name: not ANSWER.search(name))
    wrong += [(None, f"{name}: {why_not(name)}") for name in meant[:4]]
    wrong += [(None, f"and {len(meant) - 4} more files")] * (len(meant) > 4)
    if not found and not wrong:
        wrong.append((None, "no file was handed in"))
    return found, wrong


def lacking(exercise, files):
    """The starter's kernels that an answer does not have, "NAME with N parameters", where the host is not the student's."""

    def kernels(source):
        return {
            f"{name} with {number} parameters" for name, number in kernels_of(source.decode(errors="replace")).items()
        }

    if exercise.files != ["kernel.cl"]:
        return []
    return sorted(kernels((exercise.folder / "kernel.cl").read_bytes()) - kernels(files["kernel.cl"]))


# ---- Who is in the class --------------------------------------------------------------------------


def read_table(path):
    """The rows of a CSV file as people and platforms write them, its separator and its encoding."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    if content.startswith(b"PK"):
        raise Problem(f"{path} is a spreadsheet: export it as CSV")
    encoding = "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:  # what a spreadsheet program on Windows makes of it
        encoding = "cp1252"
        text = content.decode(encoding, errors="replace")
    head = text.partition("\n")[0]
    separator = max(",;\t:", key=head.count)
    rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=separator) if any(row)]
    return rows, separator, encoding


class Roster:
    """A gradebook as Canvas or Moodle exports it: the columns that say who is who, and a row for each student."""

    def __init__(self, path):
        table, self.separator, self.encoding = read_table(path)
        head = [name.strip() for name in table[0]] if table else []
        kinds = [KINDS.get(name.casefold()) for name in head]
        # In a Moodle assignment's grading worksheet "Participant 12345" stands first, both in the teacher's language. It
        # keeps all its columns; a gradebook's other ones are grades, which are not to be overwritten.
        first = [re.fullmatch(r"(\D+)\d+", row[0].strip()) for row in table[1:]]
        worksheet = kinds[:1] in ([None], ["number"]) and first and all(first) and len({m[1] for m in first}) == 1
        if worksheet:
            kinds = ["participant", *[kind or "kept" for kind in kinds[1:]]]
        kept = [i for i, kind in enumerate(kinds) if kind]
        self.head, kinds = [head[i] for i in kept], [kinds[i] for i in kept]
        self.rows, self.known, self.names = [], {}, []
        if not {"name", "last", "number", "participant", "login"} & set(kinds):
            raise Problem(
                f"{path}: no column of this roster says who a student is. Its first line has "
                f"{', '.join(repr(name) for name in head[:8]) or 'nothing'}; one of these is needed: "
                + ", ".join(name for kind in ("name", "last", "login") for name in COLUMNS[kind])
            )
        for row in table[1:]:
            row = [row[i] if i < len(row) else "" for i in kept]
            keys = self.keys(list(zip(kinds, row)))
            if keys and row[0].strip() != "Points Possible":  # Canvas's second line is no student
                for key in keys:
                    self.known.setdefault(key, []).append(len(self.rows))
                self.rows.append(row)
                called = [field for kind, field in zip(kinds, row) if kind in ("name", "first", "last")]
                self.names.append(" ".join(called).strip() or " ".join(row).strip())
        if not self.rows:
            raise Problem(f"{path}: there is no student in this roster")

    @staticmethod
    def keys(fields):
        """What a student may be called in the submissions."""
        keys = set()
        for kind, field in fields:
            field = field.strip().casefold()
            if kind == "login":
                keys |= {("login", field), ("login", field.partition("@")[0])}
            elif kind == "number":
                keys.add(("user", field))
            elif kind == "name":
                last, comma, first = field.partition(",")
                keys |= {("name", squeezed(field)), ("name", squeezed(first + last))}
        first, last = ("".join(field for kind, field in fields if kind == which) for which in ("first", "last"))
        if last.strip():
            keys |= {("name", squeezed(first + last)), ("name", squeezed(last + first))}
        keys = {key for key in keys if key[1]}
        if fields[0][0] == "participant":  # a group has a number, too: the name must be right, or hidden
            word, number = re.fullmatch(r"(\D+)(\d+)", fields[0][1].strip()).groups()
            names = [word, *(field for _, field in fields[1:])]
            keys |= {("participant", f"{number} {squeezed(name)}") for name in names}
        return keys

    def row_of(self, keys):
        """The number of a student's row; None where there is none, or more than one."""
        for key in keys:
            if key in self.known:
                return self.known[key][0] if len(self.known[key]) == 1 else None
        return None


# ---- What it is worth -----------------------------------------------------------------------------


def read_points(path, exercises, select):
    """Sets what an exercise is worth, and what an answer to it that was begun and is not right: rows "06/1, 2, 0.5"."""
    for number, row in enumerate(read_table(path)[0]):
        try:
            wish, *points = [field.strip() for field in row]
            worth, begun = [float(field.replace(",", ".")) for field in [*points, "0"][:2]]
            if not 0 <= begun <= worth < float("inf"):
                raise ValueError
        except ValueError:
            if number == 0 and not re.match(r"\s*\d", row[0]):
                continue  # what the columns are called
            raise Problem(
                f"{path}, row {number + 1}: {', '.join(row)!r} is not an exercise, its points, and at most as many for a begun answer"
            ) from None
        for exercise in select(wish, exercises):
            exercise.points, exercise.begun = worth, begun
