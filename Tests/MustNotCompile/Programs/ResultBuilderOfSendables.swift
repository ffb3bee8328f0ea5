// A result builder of Sendable values is given objects.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the
// differs: in one statement of several lines

import Duramen

@resultBuilder private enum Collect { static func buildBlock<T: Sendable>(_ t: T...) -> [T] { t } }
private func c<T: Sendable>(@Collect _ b: () -> [T]) -> [T] { b() }
private func f(_ x: ManagedObjectContext) {
    let r = c {
        #if TWIN
        Quake(context: x).code
        Quake(context: x).code
        #else
        Quake(context: x)
        Quake(context: x)
        #endif
    }
    Task { print(r.count) }
}
