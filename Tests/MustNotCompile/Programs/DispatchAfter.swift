// A block that is queued for later uses an object.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure
// differs: in one statement of several lines

import Dispatch
import Duramen

#if TWIN
@MainActor private func f(_ q: Quake) { Task { q.magnitude += 1 } }
#else
@MainActor private func f(_ q: Quake) {
    DispatchQueue.global().asyncAfter(deadline: .now()) { q.magnitude += 1 }
}
#endif
