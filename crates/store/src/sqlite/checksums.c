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
 * SQLite writes frames one after the other, the header and the page of each with a call of the system. Here they are gathered and
 * written together: when the last frame of a transaction is there, which is before SQLite lets anybody see them, and when
 * something else is done with the WAL.
 */
#include <stdint.h>
#include <string.h>

#include "sqlite3.h"

enum {
    CHECKSUM = 8,             /* bytes at the end of a page */
    MIN_PAGE = 512,
    DB_HEADER = 100,          /* at the start of the first page */
    DB_PAGE_SIZE = 16,        /* big-endian; 1 is 65536 */
    DB_WRITE_VERSION = 18,    /* 2: the database is in WAL mode */
    DB_RESERVED = 20,         /* unused bytes at the end of each page */
    WAL_HEADER = 32,          /* ends with its own checksum */
    FRAME_HEADER = 24,        /* page number, database size, two words of salt, checksum */
    FRAME_CHECKSUMMED = 8,    /* this much of the frame header is part of the checksum */
    FRAME_SALT = 8,
    FRAME_CHECKSUM = 16,
    FRAME_DB_SIZE = 4,        /* not 0 in the last frame of a transaction */
    GATHERED = 1 << 16        /* bytes of frames that are written together at most */
};

static const sqlite3_int64 NOWHERE = INT64_MAX;

/* An open database or WAL; the default VFS's own file object follows it in memory. */
struct file {
    sqlite3_file base;
    const char *name;
    struct file *database;    /* WAL: the database it belongs to */
    unsigned char *buffer;    /* a page being written, or read in part; WAL: frames that are not written yet */
    int buffer_size;
    int page_size;            /* 0 until known */
    int checked;              /* pages have checksums */
    int initial;              /* empty when opened and not in WAL mode yet */
    unsigned damaged_page;    /* the last page that failed verification, or 0 */
    int damaged_in_wal;
    sqlite3_int64 frame;      /* WAL: offset of the frame whose header was just written */
    sqlite3_int64 unsettled;  /* WAL: frames from this offset on may lack a valid checksum until COMMIT */
    int gathered;             /* WAL: bytes of frames that are not written yet */
    sqlite3_int64 gathered_at; /* WAL: where they go */
    sqlite3_int64 end;        /* WAL: end of what was written or gathered since it began anew */
    int commits;              /* WAL: the last header is that of a transaction's last frame */
};

static sqlite3_vfs *default_vfs;
static sqlite3_vfs shim;

static struct file *own(sqlite3_file *file) { return (struct file *)file; }

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)(own(file) + 1); }

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

static int read_page(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    struct file *store = own(file);
    unsigned number = (unsigned)(from / size) + 1;
    int result = real(file)->pMethods->xRead(real(file), bytes, size, from);
    /* In WAL mode pages beyond the end of the file are never read from it: it was truncated. */
    if (result == SQLITE_IOERR_SHORT_READ && !store->initial) return refuse(store, number, 0);
    if (result != SQLITE_OK || page_is_right(bytes, size, number)) return result;
    /* While a database is created, a page that was freed before it was ever written may be a hole. */
    if (store->initial && is_empty(bytes, size)) return result;
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
        return real(file)->pMethods->xRead(real(file), bytes, size, from);
    }
    /* SQLite reads parts of overflow pages directly. */
    int result = make_buffer(store, page_size);
    if (result == SQLITE_OK) result = read_page(file, store->buffer, page_size, from - from % page_size);
    if (result == SQLITE_OK) memcpy(bytes, store->buffer + from % page_size, (size_t)size);
    return result;
}

static int write_database(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 to) {
    struct file *store = own(file);
    sqlite3_file *under = real(file);
    if (!store->checked || !is_page_size(size) || to % size != 0) {
        return under->pMethods->xWrite(under, bytes, size, to);
    }
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
    return under->pMethods->xWrite(under, store->buffer, size, to);
}

/* Determines whether pages have checksums. If the header says no, but the first page verifies as if it said yes, that
 * byte of the header is damaged. */
static int detect_checksums(struct file *store) {
    sqlite3_file *under = real(&store->base);
    unsigned char header[DB_HEADER];
    sqlite3_int64 length = 0;
    int result = under->pMethods->xFileSize(under, &length);
    if (result != SQLITE_OK) return result;
    store->initial = store->checked = length == 0;
    if (length < DB_HEADER) return SQLITE_OK;
    result = under->pMethods->xRead(under, header, DB_HEADER, 0);
    if (result != SQLITE_OK || !is_header(header, DB_HEADER)) return result;
    store->checked = header[DB_RESERVED] == CHECKSUM;
    int size = header[DB_PAGE_SIZE] << 8 | header[DB_PAGE_SIZE + 1];
    size = size == 1 ? 65536 : size;
    if (!is_page_size(size)) return SQLITE_OK;
    store->page_size = size;
    if (store->checked || length < size) return SQLITE_OK;
    unsigned char *page = sqlite3_malloc(size);
    if (page == 0) return SQLITE_NOMEM;
    result = under->pMethods->xRead(under, page, size, 0);
    page[DB_RESERVED] = CHECKSUM;
    if (result == SQLITE_OK && page_is_right(page, size, 1)) result = refuse(store, 1, 0);
    sqlite3_free(page);
    return result;
}

/* WAL files */

static int write_gathered(sqlite3_file *file) {
    struct file *log = own(file);
    int size = log->gathered;
    log->gathered = 0;
    if (size == 0) return SQLITE_OK;
    return real(file)->pMethods->xWrite(real(file), log->buffer, size, log->gathered_at);
}

/* Writes bytes to the end of the WAL together with others. What lies before the end is overwritten at once. */
static int gather(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 to) {
    struct file *log = own(file);
    int follows = to == log->gathered_at + log->gathered && log->gathered + size <= GATHERED;
    int result = log->gathered != 0 && !follows ? write_gathered(file) : SQLITE_OK;
    if (result == SQLITE_OK) result = make_buffer(log, GATHERED);
    if (result != SQLITE_OK) return result;
    int at_end = to >= log->end;
    if (at_end) log->end = to + size;
    if (!at_end || size > GATHERED) return real(file)->pMethods->xWrite(real(file), bytes, size, to);
    if (log->gathered == 0) log->gathered_at = to;
    memcpy(log->buffer + log->gathered, bytes, (size_t)size);
    log->gathered += size;
    return SQLITE_OK;
}

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

static int read_log(sqlite3_file *file, void *bytes, int size, sqlite3_int64 from) {
    struct file *log = own(file);
    sqlite3_file *under = real(file);
    unsigned char header[FRAME_HEADER], before[CHECKSUM];
    sqlite3_int64 frame = from - FRAME_HEADER;
    int result = write_gathered(file);
    if (result == SQLITE_OK) result = under->pMethods->xRead(under, bytes, size, from);
    if (result != SQLITE_OK || !is_logged_page(size, from) || frame >= log->unsettled) return result;
    result = under->pMethods->xRead(under, header, FRAME_HEADER, frame);
    if (result != SQLITE_OK) return result;
    /* The checksum of the previous frame, or of the WAL header. */
    sqlite3_int64 seed = frame == WAL_HEADER ? WAL_HEADER - CHECKSUM : frame - size - CHECKSUM;
    result = under->pMethods->xRead(under, before, CHECKSUM, seed);
    if (result != SQLITE_OK || frame_is_right(header, bytes, size, before)) return result;
    return refuse(log->database != 0 ? log->database : log, big(header), 1);
}

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
        log->commits = big(header + FRAME_DB_SIZE) != 0;
        return gather(file, bytes, size, to);
    }
    if (to < WAL_HEADER) {
        /* Its header: the WAL begins anew. */
        int result = write_gathered(file);
        log->end = 0;
        return result != SQLITE_OK ? result : real(file)->pMethods->xWrite(real(file), bytes, size, to);
    }
    /* Page content without a header before it overwrites a frame in place. */
    int again = to - FRAME_HEADER != log->frame;
    if (again && to - FRAME_HEADER < log->unsettled) log->unsettled = to - FRAME_HEADER;
    log->frame = NOWHERE;
    int result = gather(file, bytes, size, to);
    return result == SQLITE_OK && log->commits ? write_gathered(file) : result;
}

static int sync_log(sqlite3_file *file, int flags) {
    int result = write_gathered(file);
    return result != SQLITE_OK ? result : real(file)->pMethods->xSync(real(file), flags);
}

static int cut_log(sqlite3_file *file, sqlite3_int64 size) {
    int result = write_gathered(file);
    return result != SQLITE_OK ? result : real(file)->pMethods->xTruncate(real(file), size);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = write_gathered(file);
    return result != SQLITE_OK ? result : real(file)->pMethods->xFileSize(real(file), size);
}

/* Pass-through */

/* Frames that are still gathered belong to a transaction that never ended. */
static int close_file(sqlite3_file *file) {
    sqlite3_free(own(file)->buffer);
    own(file)->buffer = 0;
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

static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
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
    .iVersion = 1, .xClose = close_file, .xRead = read_log, .xWrite = write_log, .xTruncate = cut_log, .xSync = sync_log,
    .xFileSize = log_size, .xLock = lock, .xUnlock = unlock, .xCheckReservedLock = is_reserved, .xFileControl = control,
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
    if (store != 0 && store->pMethods == &DATABASE_METHODS) opened->database = own(store);
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
