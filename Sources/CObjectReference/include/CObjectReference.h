// Two functions of the Swift runtime that are exported by every one of them, but that Swift code may not name: the way
// from a pointer to a strong reference that weak references go, and the number of strong references.
#ifndef COBJECTREFERENCE_H
#define COBJECTREFERENCE_H

void *swift_tryRetain(void *object);

/// The object, retained, or null when its last reference is gone. Its memory must still be there.
static inline void *object_retain_if_alive(void *object) { return swift_tryRetain(object); }

#include <malloc.h>

/// How many bytes of memory the object has.
static inline unsigned long object_size(void *object) { return malloc_usable_size(object); }

unsigned long swift_retainCount(void *object);

/// How many strong references there are to the object.
static inline unsigned long object_retain_count(void *object) { return swift_retainCount(object); }

#endif
