// Accumulating inside performAndWait in an outer var (sync).

import Duramen

private func f(_ b: BackgroundContext) throws -> Int {
    var n = 0; try b.performAndWait { c in n += try c.count(for: FetchRequest<Quake>()) }; return n
}
