// An undo manager leaves its context.
// expected: conformance of 'ContextUndoManager' to 'Sendable' is unavailable: an undo manager belongs
// differs: in one statement of several lines

import Duramen

private func f(_ b: BackgroundContext) async {
    #if TWIN
    let u = await b.perform { ctx in
        let u = ContextUndoManager()
        ctx.undoManager = u
        return u.canUndo
    }
    print(u)
    #else
    let u = await b.perform { ctx in
        let u = ContextUndoManager()
        ctx.undoManager = u
        return u
    }
    try? u.undo()
    #endif
}
