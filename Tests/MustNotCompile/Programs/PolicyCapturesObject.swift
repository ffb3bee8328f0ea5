// A merge policy captures an object.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure
// differs: in one statement of several lines

import Duramen

#if TWIN
@MainActor private func f(_ q: Quake) -> MergePolicy { .custom { _ in .fail } }
#else
@MainActor private func f(_ q: Quake) -> MergePolicy {
    .custom { _ in
        q.note = "conflict"
        return .fail
    }
}
#endif
