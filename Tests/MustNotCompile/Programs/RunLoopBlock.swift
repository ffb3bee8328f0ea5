// A block of the main run loop uses an object of the background.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure
// differs: in one statement of several lines

import Duramen
import Foundation

private func f(_ b: BackgroundContext) async {
    await b.perform { ctx in
        #if TWIN
        let q = Quake(context: ctx).code
        RunLoop.main.perform { print(q) }
        #else
        let q = Quake(context: ctx)
        RunLoop.main.perform { print(q.code) }
        #endif
    }
}
