// A found object is passed as a sending argument.
// expected: sending value of non-Sendable type 'Quake\?' risks causing data races
// differs: in one statement of several lines

import Duramen

private func eat<T>(_ q: sending T) async {}
#if TWIN
@MainActor private func f(_ qs: [Quake]) async {
    await eat(qs.first { $0.magnitude > 1 }?.objectID)
}
#else
@MainActor private func f(_ qs: [Quake]) async { await eat(qs.first { $0.magnitude > 1 }) }
#endif
