// Files with several names: which of them came first.
#include "files.h"

#include <stdlib.h>
#include <string.h>

struct link_seen {
  dev_t device;
  ino_t inode;
  char *path;
};

static struct link_seen *place_of(struct links *links, const struct stat *info) {
  size_t at = (size_t)(info->st_ino * 2654435761u + info->st_dev) & (links->room - 1);
  while (links->seen[at].path != NULL && (links->seen[at].inode != info->st_ino || links->seen[at].device != info->st_dev))
    at = (at + 1) & (links->room - 1);
  return &links->seen[at];
}

static void make_room(struct links *links) {
  struct link_seen *old = links->seen;
  size_t room = links->room;
  links->room = room == 0 ? 1024 : room * 2;
  links->seen = calloc(links->room, sizeof *links->seen);
  if (links->seen == NULL) fail("limit", "out of memory");
  for (size_t i = 0; i < room; i++) {
    if (old[i].path == NULL) continue;
    struct stat key = {.st_dev = old[i].device, .st_ino = old[i].inode};
    *place_of(links, &key) = old[i];
  }
  free(old);
}

const char *first_name(struct links *links, const struct stat *info, const char *path) {
  if (links->count * 2 >= links->room) make_room(links);
  struct link_seen *place = place_of(links, info);
  if (place->path != NULL) return place->path;
  *place = (struct link_seen){info->st_dev, info->st_ino, strdup(path)};
  if (place->path == NULL) fail("limit", "out of memory");
  links->count++;
  return NULL;
}

void forget_links(struct links *links) {
  for (size_t i = 0; i < links->room; i++) free(links->seen[i].path);
  free(links->seen);
  *links = (struct links){0};
}
