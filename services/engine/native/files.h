// What the parts of the `files` program share. Every mode reports on standard error: one line of JSON.
#ifndef ATOLL_FILES_H
#define ATOLL_FILES_H

#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

// --- files.c: options and reports
#define MAX_LOWER 500
#define MAX_BINDS 500

struct bind {
  const char *source;
  const char *destination;
  bool read_only;
  int fd;
};

// What of an archive is hashed: its bytes as they come and what is in them, only what is in them when that is something
// else, or nothing.
enum hashing { HASH_ALL, HASH_CONTENT, HASH_NOTHING };

struct options {
  const char *mode;
  const char *into, *from, *out, *blob, *path, *name, *upper, *work;
  // Where is kept what is in the files of a folder; NULL: nowhere.
  const char *digests;
  const char *lower[MAX_LOWER];
  int lower_count;
  struct bind binds[MAX_BINDS];
  int bind_count;
  int pid;
  bool has_owner;
  uid_t owner_uid;
  gid_t owner_gid;
  bool read_only, no_overwrite, plain, progress;
  // Of a copy: a folder, or layers from the top down; whether owners stay, archives are unpacked, and modes are given.
  const char *source;
  const char *source_lower[MAX_LOWER];
  int source_lower_count;
  bool keep_owner, unpacks;
  const char *file_mode;  // as for chmod; NULL: as in the source
  // Nothing in a layer is younger than that, in seconds; 0: as it is.
  int64_t epoch;
  enum hashing hashing;
  // An open file that another process is writing: standard input says how long it is. 0: standard input is the archive.
  int followed;
  // Of a layer, or of what goes into a container; and of a saved image.
  uint64_t max_entries, max_bytes, max_files;
};

// Says what went wrong and ends. Kinds: malformed, limit, not-found, not-directory, read-only-rootfs,
// read-only-volume, overwrite, invalid, io.
_Noreturn void fail(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void fail_errno(const char *what, const char *path);
// Called before the end when something failed; NULL: nothing is to be done.
extern void (*before_failing)(void);
void json_string(FILE *to, const char *text);

// --- files-root.c: going into a container's root; no link leads out of it afterwards
void enter_root(struct options *options, bool writes);
// The folder becomes the root of this process.
void enter_folder(const char *folder);
// Opens inside the root, links followed inside it too. -1 and errno when it cannot.
int open_inside(const char *path, int flags);
// Makes what is missing of a folder, and opens it. -1 and errno when it cannot.
int make_inside(const char *path, uid_t uid, gid_t gid, uint64_t *made);
// Layers as one tree, read-only, in a namespace of this process alone.
int open_layers(const char **layers, int count);
// Where an open file is, seen from inside. False when unknown.
bool path_of(int fd, char *into, size_t size);

// --- files-source.c: an archive from standard input, whatever it is packed with
struct source;
struct source *open_source(struct options *options);
// NULL at its end; malformed archives end the program.
struct archive *source_archive(struct source *source);
struct archive_entry *next_entry(struct source *source);
// Reads what is left, so that the digests are of everything.
void finish_source(struct source *source);
// `"diffId":…,"digest":…,"bytes":…`; a digest that was not asked for is empty.
void report_source(FILE *to, struct source *source);
_Noreturn void fail_archive(struct archive *archive);
void digest_text(EVP_MD_CTX *context, char into[72]);

// --- files-unpack.c: from an archive to a folder
void mode_unpack(struct options *options);
void mode_write(struct options *options);
void mode_hash(struct options *options);

// --- files-load.c: a saved image, its layers unpacked as they come
void mode_load(struct options *options);

// --- files-digests.c: what is in files that were read before
#define DIGEST_BYTES 32
struct digests;
struct digests *open_digests(const char *path);
// NULL: not known, or the file was changed since.
const unsigned char *find_digest(const struct digests *digests, const struct stat *info);
// NULL: what was known of that file is not true any more.
void add_digest(struct digests *digests, const struct stat *info, const unsigned char *digest);
void flush_digests(struct digests *digests);
// Those attributes that are copied, too.
void hash_xattrs(EVP_MD_CTX *hash, int fd);
// What is in a file, its attributes included: `hash` has its bytes already.
void finish_file_digest(EVP_MD_CTX *hash, int file, unsigned char digest[DIGEST_BYTES]);

// --- files-tree.c: one entry of an archive to disk
enum tree_kind { TREE_LAYER, TREE_PLAIN };
struct tree {
  enum tree_kind kind;
  bool has_owner;     // everything belongs to uid and gid; otherwise as the archive says
  uid_t uid;
  gid_t gid;
  bool clamps;        // `..` above the root is the root, as in a build context; otherwise it is refused
  bool no_overwrite;  // a folder is not replaced by something else, nor something else by a folder
  uint64_t max_bytes, bytes, entries, max_entries;
  struct digests *digests;  // of the files that are written; NULL: nobody asks for them
};
void tree_add(struct tree *tree, struct archive *archive, struct archive_entry *entry);
// Times of folders: they change until everything is in them.
void tree_finish(struct tree *tree);
int remove_at(int parent, const char *name);
#define OPAQUE "trusted.overlay.opaque"

// --- files-links.c: files with several names
struct links {
  struct link_seen *seen;  // an open table
  size_t count, room;
};
// The name under which such a file was seen first; NULL: this is the first.
const char *first_name(struct links *links, const struct stat *info, const char *path);
void forget_links(struct links *links);

// --- files-pack.c: from a folder to an archive
void mode_pack(struct options *options);
void mode_read(struct options *options);

// --- files-copy.c: from a folder or from layers into a container's root
void mode_copy(struct options *options);
void mode_digest(struct options *options);
void mode_list(struct options *options);

// --- files-mode.c: modes as for chmod
mode_t changed_mode(const char *text, mode_t before);

// --- files-look.c: what is there
void mode_stat(struct options *options);
void mode_changes(struct options *options);
void mode_size(struct options *options);
// Names in a folder, sorted; NULL-terminated, all allocated. Closes nothing.
char **sorted_names(int folder);
void free_names(char **names);
static inline bool is_whiteout(const struct stat *info) { return S_ISCHR(info->st_mode) && info->st_rdev == 0; }
bool is_opaque(int folder);

#endif
