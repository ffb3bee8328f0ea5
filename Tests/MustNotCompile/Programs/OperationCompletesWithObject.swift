// The completion of an operation takes an object of its context along.
// expected: sending 'n' risks causing data races
// differs: in one statement of several lines

import Duramen
import Foundation

@MainActor private func f(_ c: PersistentContainer, _ q: Quake) {
    let o = ManagedObjectContextOperation(container: c) { op, ctx in
        #if TWIN
        _ = Quake(context: ctx)
        op.onCompletion = { _ in print("done") }
        #else
        let n = Quake(context: ctx)
        op.onCompletion = { _ in print(n.code) }
        #endif
    }
    o.start()
}
