import DuramenModel

/// What of an object a save would write, at one moment.
struct SavedState {
    private let row: Row?
    /// Of each to-many, whether objects were added or removed.
    private let edits: [[ManagedObjectID: Bool]]

    init(of object: ManagedObject) {
        row = object.rowBeforeWrite
        edits = Self.edits(of: object)
    }

    /// Whether the object is as it was.
    func isPresent(in object: ManagedObject) -> Bool {
        guard edits == Self.edits(of: object) else { return false }
        guard let row, let other = object.row else { return row == nil && object.row == nil }
        let kinds = object.plan.layout.kinds
        return kinds.indices.allSatisfy { row.hasSameValue($0, kinds[$0], as: other) }
    }

    private static func edits(of object: ManagedObject) -> [[ManagedObjectID: Bool]] {
        (object.extra?.toManys ?? []).compactMap { state in
            guard let edits = state?.edits, !edits.isEmpty else { return nil }
            return Dictionary(edits.map { ($0.id, $0.isAdded) }) { _, last in last }
        }
    }
}

extension ManagedObject {
    /// The present values as they stay, whatever is written.
    final var rowBeforeWrite: Row? {
        guard let row, flags.contains(.writable) else { return row }
        var builder = RowBatchBuilder(capacity: 256)
        builder.append(row, layout: plan.layout, version: row.version)
        return builder.finish()[0]
    }
}
