// A lazy sequence over objects leaves its context.
// expected: conformance of 'LazyPrefixWhileSequence<Base>' to 'Sendable' is unavailable

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async throws { let s: [String] = try await b.perform { c in try c.fetch(FetchRequest<Quake>()).lazy.map(\.code).prefix { $0 != "" }.map { $0 } }; print(s) }
#else
private func f(_ b: BackgroundContext) async throws { let s: LazyPrefixWhileSequence<LazyMapSequence<[Quake], String>> = try await b.perform { c in try c.fetch(FetchRequest<Quake>()).lazy.map(\.code).prefix { $0 != "" } }; print(s) }
#endif
