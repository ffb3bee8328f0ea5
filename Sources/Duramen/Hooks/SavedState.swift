import DuramenModel

/// The part of an object's state that a save would write, at one moment.
struct SavedState {
    private let row: Row?
    /// For each to-many, the added and removed objects.
    private let edits: [[ManagedObjectID: Bool]]

    init(of object: ManagedObject) {
        row = object.rowBeforeWrite
        edits = Self.edits(of: object)
    }

    /// Whether the object still has this state.
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
    /// A row with the present values, which later writes do not change.
    final var rowBeforeWrite: Row? {
        guard let row, flags.contains(.writable) else { return row }
        var builder = RowBatchBuilder(capacity: 256)
        builder.append(row, layout: plan.layout, version: row.version)
        return builder.finish()[0]
    }
}
