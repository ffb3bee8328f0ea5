// The observation of a property uses the object when it changes.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure

import Duramen
import Observation

@MainActor private func f(_ q: Quake) {
    withObservationTracking {
        _ = q.code
    } onChange: {
        #if TWIN
        print("changed")
        #else
        print(q.code)
        #endif
    }
}
