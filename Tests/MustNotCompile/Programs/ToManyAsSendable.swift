// A to-many is returned as some Sendable.
// expected: conformance of 'ToMany<Element>' to 'Sendable' is unavailable: a to-many belongs to its ob

import Duramen

#if TWIN
private func g(_ c: ManagedObjectContext) -> some Sendable { Region(context: c).objectID }
#else
private func g(_ c: ManagedObjectContext) -> some Sendable { Region(context: c).quakes }
#endif
