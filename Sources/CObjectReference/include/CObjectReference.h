// The Swift runtime's own way from a pointer to a strong reference: null when the object is being released. Weak
// references use it; it is exported by every Swift runtime, but Swift code may not name it.
#ifndef COBJECTREFERENCE_H
#define COBJECTREFERENCE_H

void *swift_tryRetain(void *object);

/// The object, retained, or null when its last reference is gone. Its memory must still be there.
static inline void *object_retain_if_alive(void *object) { return swift_tryRetain(object); }

#endif
