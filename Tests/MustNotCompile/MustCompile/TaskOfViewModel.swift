// Mainactor class with task loading own object.

import Duramen

@MainActor private final class VM {
    let q: Quake; init(_ q: Quake) { self.q = q };
    func go() {
        Task {
            q.note = await t(); try? q.managedObjectContext?.save()
        }
    }; nonisolated func t() async -> String { "x" }
}
