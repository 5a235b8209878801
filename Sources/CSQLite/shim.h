// SQLite for Swift: the real header, and inline wrappers for what Swift cannot call (macros that cast, variadic functions).
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would bind NULL; an empty blob is a value of its own.
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic. Turns off the memory statistics, whose lock every allocation would take; must run before
// any connection is opened, and does nothing afterwards.
static inline void csqlite_disable_memory_statistics(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// sqlite3_db_config is variadic. Gives a connection `count` slots of `size` bytes that only it allocates from, without a
// lock; must run before its first statement.
static inline int csqlite_set_lookaside(sqlite3 *db, int size, int count) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, count);
}

#endif
