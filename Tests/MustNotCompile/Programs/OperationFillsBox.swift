// The closure of an operation stores an object in a captured box.
// expected: capture of 'box' with non-Sendable type 'Box' in a '@Sendable' closure
// differs: in one statement of several lines

import Duramen
import Foundation

private func f(_ c: PersistentContainer) {
    #if TWIN
    let o = ManagedObjectContextOperation(container: c) { _, ctx in _ = Quake(context: ctx) };
    o.start()
    print(o.result as Any)
    #else
    let box = Box();
    let o = ManagedObjectContextOperation(container: c) { _, ctx in box.quake = Quake(context: ctx)
    }
    o.start()
    print(box.quake as Any)
    #endif
}
