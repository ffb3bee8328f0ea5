// A model of results leaves its context.
// expected: conformance of 'FetchedResults<Object>' to 'Sendable' is unavailable: results belong to th
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async throws {
    #if TWIN
    try await b.perform { c in
        _ = try FetchedResults(FetchRequest<Quake>().sorted(by: \.time), in: c)
    }
    #else
    let r = try await b.perform { c in
        try FetchedResults(FetchRequest<Quake>().sorted(by: \.time), in: c)
    }
    print(r)
    #endif
}
