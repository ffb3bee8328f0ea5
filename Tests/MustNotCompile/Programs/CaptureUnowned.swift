// A detached task captures an object without owning it.
// expected: passing closure as a 'sending' parameter risks causing data races between main actor-isola

import Duramen

#if TWIN
@MainActor private func f(_ q: Quake) { Task { [unowned q] in print(q.code) } }
#else
@MainActor private func f(_ q: Quake) { Task.detached { [unowned q] in print(q.code) } }
#endif
