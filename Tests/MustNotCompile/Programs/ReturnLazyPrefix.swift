// A lazy sequence over objects leaves its context.
// expected: conformance of 'LazyPrefixWhileSequence<Base>' to 'Sendable' is unavailable

import Duramen

private func f(_ background: BackgroundContext) async throws {
    let codes = try await background.perform { context in
        let found = try context.fetch(FetchRequest<Quake>()).lazy.map(\.code).prefix { $0 != "" }
        #if TWIN
        return found.count { _ in true }
        #else
        return found
        #endif
    }
    print(codes)
}
