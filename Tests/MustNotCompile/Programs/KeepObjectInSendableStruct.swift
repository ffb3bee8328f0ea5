// A value that travels carries the object it was made from.
// expected: stored property 'quake' of 'Sendable'-conforming struct 'QuakeSummary' has non-Sendable type

import Duramen

struct QuakeSummary: Sendable, Identifiable {
    let id: ManagedObjectID
    #if TWIN
    let magnitude: Double
    #else
    let quake: Quake
    #endif
}
