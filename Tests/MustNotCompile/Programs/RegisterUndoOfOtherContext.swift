// An undo manager of the main actor is given a change of a background context.
// expected: sending value of non-Sendable type '\(ManagedObjectContext\) -> \(\)' risks causing data races

import Duramen

@MainActor private func f(_ c: PersistentContainer, _ b: BackgroundContext) async {
    let u = ContextUndoManager()
    await b.perform { ctx in
        let q = Quake(context: ctx)
        #if TWIN
        ContextUndoManager().registerUndo(withTarget: q) { $0.note = "" }
        #else
        u.registerUndo(withTarget: q) { $0.note = "" }
        #endif
    }
    try? u.undo()
}
