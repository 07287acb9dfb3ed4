/*
 * Page checksums: a shim over the operating system's VFS that writes a checksum with each database page and verifies it on
 * each read.
 *
 * All calls are passed through to the default VFS, except that a page written to a database file gets its checksum, and
 * a page read from the database or its WAL is returned only if its checksum matches. A mismatch is SQLITE_CORRUPT, and
 * `PRAGMA damaged_page` then names the page and the file.
 *
 * Format: the checksum is the last eight bytes of a page, which SQLite leaves unused if byte 20 of the database header
 * ("reserved space") is 8. New databases are created that way. Databases with any other value are neither
 * verified nor changed; `PRAGMA page_checksums` returns 0 for them.
 *
 * The algorithm is that of the WAL (two 32-bit sums over little-endian words, each added into the other), seeded with the
 * page number. Every step is invertible, so a difference in one word, or in the page number alone, always gives
 * another checksum: single bit flips and misplaced pages are always detected, anything else with a chance of 1 in 2^64 to be
 * missed. An older version of the same page passes.
 *
 * WAL frames carry a checksum already, chained from the frame before, which SQLite itself verifies only during recovery. Here
 * it is verified whenever a page is read from the WAL. Frames that a reader can see do not change. Frames of an open
 * transaction can: SQLite may overwrite a spilled page in place and recomputes the chain at COMMIT. Only the writer
 * itself reads those, and from the first overwritten frame on they are not verified until then.
 *
 * Every write is passed on at once, in SQLite's order: what it wrote before a rollback it overwrites, and nothing of it is kept here
 * (docs/adr/0011-page-checksums.md says what holding frames back cost).
 *
 * Two errors of the default VFS are returned as others: a page that the disk could not read (EIO) as a failed read and not as
 * damage, and a file that may not grow (EDQUOT, EFBIG) as a full disk.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "sqlite3.h"

enum {
    CHECKSUM = 8,             /* bytes at the end of a page */
    MIN_PAGE = 512,
    LOOKS = 2,                /* how often a page with a wrong checksum is read before it counts as damaged */
    DB_HEADER = 100,          /* at the start of the first page */
    DB_PAGE_SIZE = 16,        /* big-endian; 1 is 65536 */
    DB_WRITE_VERSION = 18,    /* 2: the database is in WAL mode */
    DB_RESERVED = 20,         /* unused bytes at the end of each page */
    WAL_HEADER = 32,          /* ends with its own checksum */
    FRAME_HEADER = 24,        /* page number, database size, two words of salt, checksum */
    FRAME_CHECKSUMMED = 8,    /* this much of the frame header is part of the checksum */
    FRAME_SALT = 8,
    FRAME_CHECKSUM = 16,
    WRITE_LOCK = 0            /* of the locks of the WAL, held from the first to the last write of a transaction */
};

static const sqlite3_int64 NOWHERE = INT64_MAX;

/* An open database or WAL; the default VFS's own file object follows it in memory. */
struct file {
    sqlite3_file base;
    const char *name;
    struct file *database;    /* WAL: the database it belongs to */
    struct file *log;         /* its WAL, while that is open */
    unsigned char *buffer;    /* a page being written, or read in part */
    int buffer_size;
    int page_size;            /* 0 until known */
    int checked;              /* pages have checksums */
    int initial;              /* empty when opened and not in WAL mode yet */
    unsigned damaged_page;    /* the last page that failed verification, or 0 */
    int damaged_in_wal;
    sqlite3_int64 frame;      /* WAL: offset of the frame whose header was just written */
    sqlite3_int64 unsettled;  /* WAL: frames from this offset on may lack a valid checksum until COMMIT */
};

static sqlite3_vfs *default_vfs;
static sqlite3_vfs shim;

static struct file *own(sqlite3_file *file) { return (struct file *)file; }

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)(own(file) + 1); }

/* Calls of the default VFS */

/* SQLite turns some failed reads into SQLITE_CORRUPT, and then nothing is answered from the database any more. A page that cannot be
 * read may be whole. */
static int read_under(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    int result = real(file)->pMethods->xRead(real(file), bytes, size, from);
    return result == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : result;
}

/* A quota and a limit on the size of files leave as little room as a full disk. */
static int write_under(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 to) {
    int result = real(file)->pMethods->xWrite(real(file), bytes, size, to);
    int reason = 0;
    if (result != SQLITE_IOERR_WRITE) return result;
    real(file)->pMethods->xFileControl(real(file), SQLITE_FCNTL_LAST_ERRNO, &reason);
    return reason == EDQUOT || reason == EFBIG ? SQLITE_FULL : result;
}

/* Checksums */

static uint32_t little(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t big(const unsigned char *at) {
    return (uint32_t)at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
}

static void put_little(unsigned char *at, uint32_t word) {
    for (int byte = 0; byte < 4; byte++) at[byte] = (unsigned char)(word >> 8 * byte);
}

/* Continues from `sums`; `size` is a multiple of eight. */
static void sum_little(const unsigned char *bytes, int size, uint32_t sums[2]) {
    uint32_t one = sums[0], other = sums[1];
    for (int at = 0; at < size; at += 8) {
        one += little(bytes + at) + other;
        other += little(bytes + at + 4) + one;
    }
    sums[0] = one, sums[1] = other;
}

/* A WAL is checksummed in the byte order of the machine that created it. */
static void sum_big(const unsigned char *bytes, int size, uint32_t sums[2]) {
    uint32_t one = sums[0], other = sums[1];
    for (int at = 0; at < size; at += 8) {
        one += big(bytes + at) + other;
        other += big(bytes + at + 4) + one;
    }
    sums[0] = one, sums[1] = other;
}

static void page_sum(const unsigned char *page, int size, unsigned number, unsigned char sum[CHECKSUM]) {
    uint32_t sums[2] = {number, 0};
    sum_little(page, size - CHECKSUM, sums);
    put_little(sum, sums[0]);
    put_little(sum + 4, sums[1]);
}

static int page_is_right(const unsigned char *page, int size, unsigned number) {
    unsigned char sum[CHECKSUM];
    page_sum(page, size, number, sum);
    return memcmp(sum, page + size - CHECKSUM, CHECKSUM) == 0;
}

static int is_page_size(int size) { return size >= MIN_PAGE && (size & (size - 1)) == 0; }

static int is_header(const void *bytes, int size) {
    return size >= DB_HEADER && memcmp(bytes, "SQLite format 3", 16) == 0;
}

static int is_empty(const unsigned char *page, int size) {
    for (int at = 0; at < size; at++) {
        if (page[at] != 0) return 0;
    }
    return 1;
}

static int refuse(struct file *file, unsigned page, int in_log) {
    file->damaged_page = page != 0 ? page : 1;
    file->damaged_in_wal = in_log;
    sqlite3_log(SQLITE_CORRUPT, "page %u%s of %s has a wrong checksum", page, in_log ? " in the log" : "", file->name);
    return SQLITE_CORRUPT;
}

/* Database files */

static int make_buffer(struct file *store, int size) {
    if (store->buffer_size >= size) return SQLITE_OK;
    unsigned char *buffer = sqlite3_realloc(store->buffer, size);
    if (buffer == 0) return SQLITE_IOERR_NOMEM;
    store->buffer = buffer, store->buffer_size = size;
    return SQLITE_OK;
}

/* Takes from the first page whether pages have checksums, and how long they are. If its header says no, but the page verifies as if it
 * said yes, that byte of the header is damaged. A database in WAL mode stays in it, and from then on no page is a hole. */
static int learn(struct file *store, const unsigned char *page, int size) {
    int page_size = page[DB_PAGE_SIZE] << 8 | page[DB_PAGE_SIZE + 1];
    page_size = page_size == 1 ? 65536 : page_size;
    store->checked = page[DB_RESERVED] == CHECKSUM;
    if (page[DB_WRITE_VERSION] == 2) store->initial = 0;
    if (!is_page_size(page_size)) return SQLITE_OK;
    store->page_size = page_size;
    if (store->checked || size < page_size) return SQLITE_OK;
    int result = make_buffer(store, page_size);
    if (result != SQLITE_OK) return result;
    memcpy(store->buffer, page, (size_t)page_size);
    store->buffer[DB_RESERVED] = CHECKSUM;
    return page_is_right(store->buffer, page_size, 1) ? refuse(store, 1, 0) : SQLITE_OK;
}

static int read_page(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    struct file *store = own(file);
    unsigned number = (unsigned)(from / size) + 1;
    /* What counts as damage was read twice: not everything that goes wrong in a read goes wrong again. */
    for (int look = 0; look < LOOKS; look++) {
        int result = read_under(file, bytes, size, from);
        int cut_off = result == SQLITE_IOERR_SHORT_READ;
        if (result != SQLITE_OK && (!cut_off || store->initial)) return result;
        /* In WAL mode pages beyond the end of the file are never read from it: it was truncated. */
        if (cut_off) continue;
        if (store->initial && number == 1 && is_header(bytes, size)) {
            /* Another connection has created what was empty when this one opened it. */
            result = learn(store, bytes, size);
            if (result != SQLITE_OK || !store->checked || store->page_size != size) return result;
        }
        if (page_is_right(bytes, size, number)) return SQLITE_OK;
        /* While a database is created, a page that was freed before it was ever written may be a hole. */
        if (store->initial && is_empty(bytes, size)) return SQLITE_OK;
    }
    return refuse(store, number, 0);
}

static int read_database(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    struct file *store = own(file);
    int page_size = store->page_size;
    /* A part of a page can be as long as pages of other files are. */
    int whole = page_size == 0 ? is_page_size(size) : size == page_size;
    if (store->checked && whole && from % size == 0) return read_page(file, bytes, size, from);
    /* Parts of the first page are its header, which may be read while the WAL has the valid version. */
    if (!store->checked || page_size == 0 || from < page_size || from % page_size + size > page_size) {
        return read_under(file, bytes, size, from);
    }
    /* SQLite reads parts of overflow pages directly. */
    int result = make_buffer(store, page_size);
    if (result == SQLITE_OK) result = read_page(file, store->buffer, page_size, from - from % page_size);
    if (result == SQLITE_OK) memcpy(bytes, store->buffer + from % page_size, (size_t)size);
    return result;
}

static int write_database(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 to) {
    struct file *store = own(file);
    if (!store->checked || !is_page_size(size) || to % size != 0) return write_under(file, bytes, size, to);
    if (to == 0 && is_header(bytes, size)) {
        const unsigned char *header = bytes;
        /* Without reserved space the checksum would overwrite content. */
        if (header[DB_RESERVED] != CHECKSUM) return SQLITE_IOERR_WRITE;
        if (header[DB_WRITE_VERSION] == 2) store->initial = 0;
    }
    int result = make_buffer(store, size);
    if (result != SQLITE_OK) return result;
    store->page_size = size;
    memcpy(store->buffer, bytes, (size_t)size);
    page_sum(store->buffer, size, (unsigned)(to / size) + 1, store->buffer + size - CHECKSUM);
    return write_under(file, store->buffer, size, to);
}

/* Determines at opening whether pages have checksums. */
static int detect_checksums(struct file *store) {
    sqlite3_file *under = real(&store->base);
    unsigned char header[DB_HEADER];
    sqlite3_int64 length = 0;
    int result = under->pMethods->xFileSize(under, &length);
    if (result != SQLITE_OK) return result;
    store->initial = store->checked = length == 0;
    if (length < DB_HEADER) return SQLITE_OK;
    result = read_under(&store->base, header, DB_HEADER, 0);
    if (result != SQLITE_OK || !is_header(header, DB_HEADER)) return result;
    result = learn(store, header, DB_HEADER);
    if (result != SQLITE_OK || store->checked || store->page_size == 0 || length < store->page_size) return result;
    unsigned char *page = sqlite3_malloc(store->page_size);
    if (page == 0) return SQLITE_NOMEM;
    result = read_under(&store->base, page, store->page_size, 0);
    if (result == SQLITE_OK) result = learn(store, page, store->page_size);
    sqlite3_free(page);
    return result;
}

/* WAL files */

static int is_logged_page(int size, sqlite3_int64 at) {
    return is_page_size(size) && at >= WAL_HEADER + FRAME_HEADER
        && (at - WAL_HEADER - FRAME_HEADER) % (size + FRAME_HEADER) == 0;
}

static int frame_is_right(const unsigned char header[FRAME_HEADER], const unsigned char *page, int size,
                          const unsigned char before[CHECKSUM]) {
    uint32_t wanted[2] = {big(header + FRAME_CHECKSUM), big(header + FRAME_CHECKSUM + 4)};
    uint32_t sums[2] = {big(before), big(before + 4)};
    sum_little(header, FRAME_CHECKSUMMED, sums);
    sum_little(page, size, sums);
    if (memcmp(sums, wanted, sizeof sums) == 0) return 1;
    sums[0] = big(before), sums[1] = big(before + 4);
    sum_big(header, FRAME_CHECKSUMMED, sums);
    sum_big(page, size, sums);
    return memcmp(sums, wanted, sizeof sums) == 0;
}

static int read_frame(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from, unsigned char header[FRAME_HEADER], int *right) {
    unsigned char before[CHECKSUM];
    sqlite3_int64 frame = from - FRAME_HEADER;
    /* The checksum of the previous frame, or of the WAL header. */
    sqlite3_int64 seed = frame == WAL_HEADER ? WAL_HEADER - CHECKSUM : frame - size - CHECKSUM;
    int result = read_under(file, bytes, size, from);
    if (result == SQLITE_OK) result = read_under(file, header, FRAME_HEADER, frame);
    if (result == SQLITE_OK) result = read_under(file, before, CHECKSUM, seed);
    *right = result == SQLITE_OK && frame_is_right(header, bytes, size, before);
    return result;
}

static int read_log(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    struct file *log = own(file);
    unsigned char header[FRAME_HEADER];
    if (!is_logged_page(size, from) || from - FRAME_HEADER >= log->unsettled) return read_under(file, bytes, size, from);
    for (int look = 0; look < LOOKS; look++) {
        int right;
        int result = read_frame(file, bytes, size, from, header, &right);
        if (result != SQLITE_OK || right) return result;
    }
    return refuse(log->database != 0 ? log->database : log, big(header), 1);
}

/* Notes which frames have no valid checksum for now. */
static int write_log(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 to) {
    struct file *log = own(file);
    static const unsigned char unsalted[FRAME_CHECKSUM - FRAME_SALT];
    if (size == FRAME_HEADER) {
        const unsigned char *header = bytes;
        log->frame = to;
        int settled = memcmp(header + FRAME_SALT, unsalted, sizeof unsalted) != 0;
        /* A salted header has its checksum: the chain is being recomputed, or another transaction begins here. */
        if (settled && to <= log->unsettled) log->unsettled = NOWHERE;
        if (!settled && to < log->unsettled) log->unsettled = to;
    } else if (to >= WAL_HEADER) {
        /* Page content without a header before it overwrites a frame in place. */
        int again = to - FRAME_HEADER != log->frame;
        if (again && to - FRAME_HEADER < log->unsettled) log->unsettled = to - FRAME_HEADER;
        log->frame = NOWHERE;
    }
    return write_under(file, bytes, size, to);
}

/* Pass-through */

static int close_file(sqlite3_file *file) {
    struct file *closed = own(file);
    if (closed->database != 0) closed->database->log = 0;
    if (closed->log != 0) closed->log->database = 0;
    closed->database = closed->log = 0;
    sqlite3_free(closed->buffer);
    closed->buffer = 0;
    return real(file)->pMethods->xClose(real(file));
}

static int cut(sqlite3_file *file, sqlite3_int64 size) { return real(file)->pMethods->xTruncate(real(file), size); }

static int sync(sqlite3_file *file, int flags) { return real(file)->pMethods->xSync(real(file), flags); }

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }

static int lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int is_reserved(sqlite3_file *file, int *answer) {
    return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}

static int sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int characteristics(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

/* One region more than is needed: a COMMIT whose frames are on the disk must not fail because the index finds no room for them. A region
 * is enough for 4,096 frames, for which there would be no room either. */
static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    void volatile *next;
    if (extend) real(file)->pMethods->xShmMap(real(file), region + 1, size, extend, &next);
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
    struct file *log = own(file)->log;
    /* Frames of a transaction that was rolled back are never read again; another process may already write in their place. */
    if (log != 0 && offset == WRITE_LOCK && (flags & SQLITE_SHM_UNLOCK) != 0) log->frame = log->unsettled = NOWHERE;
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int unmap_shared(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

/* SQLITE_NOTFOUND leaves a PRAGMA to SQLite. */
static int answer_pragma(const struct file *store, char **words) {
    if (sqlite3_stricmp(words[1], "page_checksums") == 0) {
        words[0] = sqlite3_mprintf("%d", store->checked);
    } else if (sqlite3_stricmp(words[1], "damaged_page") == 0) {
        if (store->damaged_page == 0) return SQLITE_OK;
        const char *place = store->damaged_in_wal ? "in the log of" : "of";
        words[0] = sqlite3_mprintf("page %u %s %s", store->damaged_page, place, store->name);
    } else {
        return SQLITE_NOTFOUND;
    }
    return words[0] != 0 ? SQLITE_OK : SQLITE_NOMEM;
}

static int control(sqlite3_file *file, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_PRAGMA) {
        int told = answer_pragma(own(file), argument);
        if (told != SQLITE_NOTFOUND) return told;
    }
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

/* Version 2 has no memory-mapped reads, which would bypass verification. */
static const sqlite3_io_methods DATABASE_METHODS = {
    .iVersion = 2, .xClose = close_file, .xRead = read_database, .xWrite = write_database, .xTruncate = cut, .xSync = sync,
    .xFileSize = file_size, .xLock = lock, .xUnlock = unlock, .xCheckReservedLock = is_reserved, .xFileControl = control,
    .xSectorSize = sector_size, .xDeviceCharacteristics = characteristics, .xShmMap = map_shared, .xShmLock = lock_shared,
    .xShmBarrier = barrier, .xShmUnmap = unmap_shared,
};

static const sqlite3_io_methods WAL_METHODS = {
    .iVersion = 1, .xClose = close_file, .xRead = read_log, .xWrite = write_log, .xTruncate = cut, .xSync = sync,
    .xFileSize = file_size, .xLock = lock, .xUnlock = unlock, .xCheckReservedLock = is_reserved, .xFileControl = control,
    .xSectorSize = sector_size, .xDeviceCharacteristics = characteristics,
};

/* Opening */

/* Called for each new connection once its file is open: reserves the space in a new database, before anything is written. */
static int reserve_space(sqlite3 *connection, char **error, const struct sqlite3_api_routines *functions) {
    (void)error, (void)functions;
    sqlite3_file *file = 0;
    int reserved = CHECKSUM;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == 0
        || file->pMethods != &DATABASE_METHODS || !own(file)->initial) {
        return SQLITE_OK;
    }
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got) {
    (void)vfs;
    int is_store = (flags & SQLITE_OPEN_MAIN_DB) != 0 && name != 0;
    if (!is_store && (flags & SQLITE_OPEN_WAL) == 0) return default_vfs->xOpen(default_vfs, name, file, flags, got);
    memset(file, 0, sizeof(struct file));
    int result = default_vfs->xOpen(default_vfs, name, real(file), flags, got);
    /* Without methods the file is not open, and will not be closed. */
    if (real(file)->pMethods == 0) return result;
    struct file *opened = own(file);
    opened->name = name;
    opened->frame = opened->unsettled = NOWHERE;
    file->pMethods = is_store ? &DATABASE_METHODS : &WAL_METHODS;
    if (result != SQLITE_OK) return result;
    if (is_store) {
        /* One that is known already is not added again. It cannot be added at initialization, which would wait for itself. */
        result = sqlite3_auto_extension((void (*)(void))reserve_space);
        return result != SQLITE_OK ? result : detect_checksums(opened);
    }
    sqlite3_file *store = sqlite3_database_file_object(name);
    if (store != 0 && store->pMethods == &DATABASE_METHODS) opened->database = own(store), own(store)->log = opened;
    return SQLITE_OK;
}

/* Called by sqlite3_initialize() before any connection goes on (SQLITE_EXTRA_INIT_MUTEXED, set in .cargo/config.toml). */
int stipend_checksums(const char *unused);

int stipend_checksums(const char *unused) {
    (void)unused;
    default_vfs = sqlite3_vfs_find(0);
    if (default_vfs == 0) return SQLITE_ERROR;
    /* Apart from xOpen, the methods of SQLite's own VFSes do not use the object they are called on. */
    shim = *default_vfs;
    shim.pNext = 0;
    shim.zName = "checksums";
    shim.szOsFile += (int)sizeof(struct file);
    shim.xOpen = open_file;
    return sqlite3_vfs_register(&shim, 1);
}
