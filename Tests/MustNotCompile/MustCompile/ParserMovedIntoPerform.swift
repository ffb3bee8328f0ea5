// Non-Sendable config object moved into perform.

import Duramen

private final class Parser {
    var n = 0; func next() -> String? { n += 1; return n < 3 ? "\(n)" : nil }
}
private func f(_ b: BackgroundContext) async throws {
    let p = Parser();
    try await b.perform { c in
        while let s = p.next() { Quake(context: c).code = s }; try c.save()
    }
}
