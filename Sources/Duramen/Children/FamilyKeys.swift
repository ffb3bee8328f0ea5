import DuramenModel

/// The change of a new object's key from temporary to permanent.
struct KeyMove {
    let old: Int64
    let new: Int64
    /// The index of the object's entity in the model.
    let entity: Int

    init(of object: ManagedObject, to key: Int64) {
        old = object.key
        new = key
        entity = object.plan.entity.id.index
    }
}

// A parent, its children and their children identify an object by one ID. When the object gets its
// permanent ID, all of them replace the old one at once, so that IDs obtained earlier remain valid
// everywhere.

extension ContextPart {
    /// Obtains permanent keys for objects that are new in an ancestor of this context, not here.
    func obtainKeysFromParent(for objects: ContiguousArray<ManagedObject>) throws {
        guard let parentPart else { return }
        let unsaved = objects.filter { $0.key < 0 && $0.isThere }
        if unsaved.isEmpty { return }
        try parentPart.context.obtainPermanentIDs(
            for: unsaved.compactMap { parentPart.registerFaultHere($0.objectID) })
    }

    /// Replaces keys by permanent ones in all contexts of the family.
    func spread(_ moves: [KeyMove]) {
        topPart.takeOver(moves, from: self)
    }

    private func takeOver(_ move: KeyMove) {
        identity.set(move.new, for: move.old)
        let table = plans[move.entity].table
        guard let object = table.find(move.old) else { return }
        table.move(from: move.old, to: move.new)
        object.key = move.new
        for row in object.rowsOfOwn { Row.setKey(move.new, at: row) }
    }

    /// Replaces temporary keys in the rows and to-manys of an object.
    private func replaceKeys(in object: ManagedObject) {
        for words in object.rowsOfOwn {
            for slot in object.plan.borrowedReferences.slots {
                let key = words.load(fromByteOffset: slot &* 8, as: Int64.self)
                if key < 0, let permanent = identity.permanentKey(for: key) {
                    words.storeBytes(of: permanent, toByteOffset: slot &* 8, as: Int64.self)
                }
            }
        }
        object.extra?.toManys.forEach { $0?.replaceTemporaryIDs(in: self) }
    }

    private func takeOver(_ moves: [KeyMove], from origin: ContextPart) {
        if self !== origin {
            for move in moves { takeOver(move) }
            for table in tables { table.forEach(replaceKeys) }
            for part in context.parts { part.identity.beginEpoch() }
        }
        forEachChild { $0.takeOver(moves, from: origin) }
    }
}

extension ManagedObject {
    /// The rows whose references may hold temporary keys: the object's own row and the rows that
    /// its edits are based on.
    // Sound: rows with temporary keys never came from a store. So at most the contexts of one
    // isolation share them, and all of these replace the keys at the same time.
    fileprivate final var rowsOfOwn: [UnsafeMutableRawPointer] {
        var rows = words.map { [$0] } ?? []
        if let base = extra?.base {
            rows.append(UnsafeMutableRawPointer(mutating: base.unsafeWords))
        }
        if case .changed(let row)? = extra?.meanwhile {
            rows.append(UnsafeMutableRawPointer(mutating: row.unsafeWords))
        }
        return rows
    }
}
