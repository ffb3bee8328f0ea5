// A Sendable class keeps a closure over an object.
// expected: stored property 'run' of 'Sendable'-conforming class 'Job' has non-Sendable type '\(\) -> \(\)
// differs: in one statement of several lines

import Duramen

private final class Job: Sendable {
    #if TWIN
    let run: @Sendable () -> Void
    init(_ q: Quake) {
        let code = q.code
        run = { print(code) }
    }
    #else
    let run: () -> Void
    init(_ q: Quake) { run = { print(q.code) } }
    #endif
}
