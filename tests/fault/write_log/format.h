/* The write log: what a process did to its database file, in order. Written by preload.c, read by
 * log.cc.
 *
 * A log is a row of records: this header, then `size` octets of data for the two kinds of writes.
 * Numbers are in the order of the machine: a log is read where it was written. */
#ifndef KAURI_TESTS_WRITE_LOG_FORMAT_H
#define KAURI_TESTS_WRITE_LOG_FORMAT_H

#include <stdint.h>

enum {
  KAURI_RECORD_MAGIC = 0x4c57414b,
  KAURI_RECORD_WRITE = 1,         /* data at `offset`: in the page cache, no more */
  KAURI_RECORD_DURABLE_WRITE = 2, /* the same, with O_DSYNC or O_SYNC */
  KAURI_RECORD_SYNC = 3,          /* fsync or fdatasync has returned */
  KAURI_RECORD_TRUNCATE = 4,      /* the file has `offset` octets now */
  KAURI_RECORD_MAPPED = 5,        /* msync: there are writes that this log cannot see */
  KAURI_RECORD_PLACED = 6,     /* the file is in its place: it was made there, or renamed to it */
  KAURI_RECORD_PLACE_SYNC = 7, /* fsync of the directory of its place has returned */
};

struct kauri_write_record {
  uint32_t magic;
  uint32_t kind;
  uint64_t offset;
  uint64_t size;
};

#endif
