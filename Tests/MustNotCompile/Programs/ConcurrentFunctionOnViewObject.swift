// A concurrent function is given an object of the view context.
// expected: sending 'q' risks causing data races

import Duramen

#if TWIN
private nonisolated(nonsending) func g(_ q: Quake) async { q.note = "" }
#else
@concurrent private func g(_ q: Quake) async { q.note = "" }
#endif
@MainActor private func f(_ q: Quake) async { await g(q) }
