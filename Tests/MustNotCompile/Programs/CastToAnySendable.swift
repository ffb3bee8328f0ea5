// An object becomes an element of an array of any Sendable.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen

#if TWIN
@MainActor private func f(_ q: Quake) -> [any Sendable] { [q.objectID] }
#else
@MainActor private func f(_ q: Quake) -> [any Sendable] { [q] }
#endif
