/* A disk that can lose its power, for one program: preloaded, it notes what the program writes to the files
 * below DISK_FOLDER, and copies that into DISK_SYNCED when the program syncs the file. So DISK_SYNCED has what
 * a disk must have after a power loss, and DISK_FOLDER what it may have. Syncs of files whose name ends with
 * DISK_IGNORES do nothing.
 *
 * Names of files are durable at once: a file is created, renamed and deleted in both folders. Memory that is
 * mapped is not noted; SQLite maps only its `-shm`, which it makes anew. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 4096
#define FILES_MAX 1024
#define REAL(name) ((__typeof__(&name))real(#name))

struct range {
    off_t from, to;
};

/* What was written to a file since its last sync. */
struct file {
    char *name; /* below the folder; NULL once it is deleted */
    struct range *ranges;
    size_t count, room;
};

static struct file files[FILES_MAX];
static int file_count;
static struct file *open_files[DESCRIPTORS_MAX]; /* by descriptor; NULL for files elsewhere */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

static void fail(const char *what) {
    fprintf(stderr, "simulated disk: %s: %s\n", what, strerror(errno));
    abort();
}

/* The part of a path below DISK_FOLDER, with its slash, or NULL. */
static const char *name_of(const char *path) {
    const char *folder = getenv("DISK_FOLDER");
    size_t length = folder ? strlen(folder) : 0;
    if (length == 0 || strncmp(path, folder, length) != 0 || path[length] != '/') return NULL;
    return path + length;
}

static void synced_path(char *path, const char *name) {
    snprintf(path, PATH_MAX, "%s%s", getenv("DISK_SYNCED"), name);
}

/* The file of this name; NULL if there is none yet. */
static struct file *known(const char *name) {
    for (int i = 0; i < file_count; i++)
        if (files[i].name && strcmp(files[i].name, name) == 0) return &files[i];
    return NULL;
}

static struct file *file_of(int fd) {
    return fd >= 0 && fd < DESCRIPTORS_MAX ? open_files[fd] : NULL;
}

static void opened(int fd, const char *path) {
    const char *name = name_of(path);
    if (fd < 0 || fd >= DESCRIPTORS_MAX) return;
    pthread_mutex_lock(&lock);
    open_files[fd] = name ? known(name) : NULL;
    if (name && !open_files[fd]) {
        if (file_count == FILES_MAX) fail("too many files");
        open_files[fd] = &files[file_count++];
        open_files[fd]->name = strdup(name);
    }
    pthread_mutex_unlock(&lock);
}

static void note(int fd, off_t from, off_t to) {
    if (from >= to) return;
    pthread_mutex_lock(&lock);
    struct file *file = file_of(fd);
    if (file) {
        if (file->count == file->room) {
            file->room = file->room ? 2 * file->room : 64;
            file->ranges = realloc(file->ranges, file->room * sizeof *file->ranges);
            if (!file->ranges) fail("no memory");
        }
        file->ranges[file->count++] = (struct range){from, to};
    }
    pthread_mutex_unlock(&lock);
}

static void copy(int from, int to, struct range range, off_t size) {
    static char bytes[1 << 16];
    while (range.from < range.to && range.from < size) {
        off_t left = (range.to < size ? range.to : size) - range.from;
        size_t most = left < (off_t)sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t length = REAL(pread64)(from, bytes, most, range.from);
        if (length <= 0) return;
        if (REAL(pwrite64)(to, bytes, (size_t)length, range.from) != length) fail("cannot keep a write");
        range.from += length;
    }
}

/* Copies what was written to a file that is open here. */
static void keep(struct file *file, int fd) {
    char path[PATH_MAX], readable[64];
    struct stat live;
    if (!file->name || fstat(fd, &live) != 0) return;
    synced_path(path, file->name);
    snprintf(readable, sizeof readable, "/proc/self/fd/%d", fd);
    int is_readable = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY;
    int from = is_readable ? fd : REAL(open64)(readable, O_RDONLY);
    int to = REAL(open64)(path, O_WRONLY | O_CREAT, 0600);
    if (from < 0 || to < 0) fail(path);
    for (size_t i = 0; i < file->count; i++) copy(from, to, file->ranges[i], live.st_size);
    file->count = 0;
    if (REAL(ftruncate64)(to, live.st_size) != 0) fail("cannot keep a length");
    REAL(close)(to);
    if (!is_readable) REAL(close)(from);
}

static int is_ignored(const char *name) {
    const char *end = getenv("DISK_IGNORES");
    size_t length = end ? strlen(end) : 0;
    return length > 0 && strlen(name) >= length && strcmp(name + strlen(name) - length, end) == 0;
}

static int sync_with(int (*sync)(int), int fd) {
    int answer = 0;
    pthread_mutex_lock(&lock);
    struct file *file = file_of(fd);
    if (!file || !file->name || !is_ignored(file->name)) {
        answer = sync(fd);
        if (answer == 0 && file) keep(file, fd);
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

int fsync(int fd) { return sync_with(REAL(fsync), fd); }
int fdatasync(int fd) { return sync_with(REAL(fdatasync), fd); }

#define OPEN(name, before, at, ...)                                                                         \
    int name(before const char *path, int flags, ...) {                                                     \
        mode_t mode = 0;                                                                                    \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                \
            va_list rest;                                                                                   \
            va_start(rest, flags);                                                                          \
            mode = va_arg(rest, mode_t);                                                                    \
            va_end(rest);                                                                                   \
        }                                                                                                   \
        int fd = REAL(name)(at path, flags, mode);                                                          \
        opened(fd, path);                                                                                   \
        if (flags & O_TRUNC) note(fd, 0, INT64_MAX);                                                        \
        return fd;                                                                                          \
    }
#define COMMA ,
OPEN(open, , )
OPEN(open64, , )
OPEN(openat, int folder COMMA, folder COMMA)
OPEN(openat64, int folder COMMA, folder COMMA)

int close(int fd) {
    opened(fd, "");
    return REAL(close)(fd);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    ssize_t length = REAL(pwrite)(fd, bytes, count, at);
    note(fd, at, at + length);
    return length;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    ssize_t length = REAL(pwrite64)(fd, bytes, count, at);
    note(fd, at, at + length);
    return length;
}

static void note_at_cursor(int fd, ssize_t length) {
    if (length <= 0 || !file_of(fd)) return;
    off_t end = lseek(fd, 0, SEEK_CUR);
    note(fd, end - length, end);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t length = REAL(write)(fd, bytes, count);
    note_at_cursor(fd, length);
    return length;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t length = REAL(writev)(fd, parts, count);
    note_at_cursor(fd, length);
    return length;
}

int ftruncate(int fd, off_t length) {
    note(fd, length, INT64_MAX);
    return REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    note(fd, length, INT64_MAX);
    return REAL(ftruncate64)(fd, length);
}

static void deleted(const char *name) {
    pthread_mutex_lock(&lock);
    struct file *file = known(name);
    if (file) file->name = NULL;
    pthread_mutex_unlock(&lock);
}

int unlink(const char *path) {
    const char *name = name_of(path);
    int answer = REAL(unlink)(path);
    if (answer == 0 && name) {
        char synced[PATH_MAX];
        synced_path(synced, name);
        REAL(unlink)(synced);
        deleted(name);
    }
    return answer;
}

int rename(const char *from, const char *to) {
    const char *old = name_of(from), *new = name_of(to);
    int answer = REAL(rename)(from, to);
    if (answer == 0 && old && new) {
        char synced_old[PATH_MAX], synced_new[PATH_MAX];
        synced_path(synced_old, old);
        synced_path(synced_new, new);
        /* A file that was never synced is lost. */
        if (REAL(rename)(synced_old, synced_new) != 0) REAL(unlink)(synced_new);
        deleted(new);
        pthread_mutex_lock(&lock);
        struct file *file = known(old);
        if (file) file->name = strdup(new);
        pthread_mutex_unlock(&lock);
    }
    return answer;
}
