// A closure that is performed within another one takes the outer context along instead of its own.
// expected: passing closure as a 'sending' parameter risks causing data races between code in the curr

import Duramen

private func f(_ background: BackgroundContext) {
    background.performAndWait { outer in
        print(outer.insertedObjects.count)
        #if TWIN
        background.performAndWait { inner in print(inner.insertedObjects.count) }
        #else
        background.performAndWait { _ in print(outer.insertedObjects.count) }
        #endif
    }
}
