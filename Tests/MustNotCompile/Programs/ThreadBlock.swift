// A thread uses an object of the main actor.
// expected: capture of 'q' with non-Sendable type 'Quake' in a '@Sendable' closure

import Duramen
import Foundation

#if TWIN
@MainActor private func f(_ q: Quake) { Thread { [code = q.code] in print(code) }.start() }
#else
@MainActor private func f(_ q: Quake) { Thread { q.note = "x" }.start() }
#endif
