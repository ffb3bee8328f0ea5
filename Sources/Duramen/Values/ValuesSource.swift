import DuramenModel

/// Supplies a ``ValuesReader`` with information beyond the row, and records problems.
// Sound: unchecked exclusivity, since it is used in one isolation, and no access calls out.
@usableFromInline class ValuesSource {
    enum Problem {
        /// A mandatory attribute has no value.
        case missing
        /// The stored value does not have the attribute's type.
        case unrepresentable
    }

    /// The first problem and its slot.
    @exclusivity(unchecked) private(set) final var problem: (kind: Problem, slot: Int)?

    final func record(_ kind: Problem, at slot: Int) {
        if problem == nil { problem = (kind, slot) }
    }

    final func forgetProblem() { problem = nil }

    func objectID(_ words: UnsafeRawPointer) -> ManagedObjectID {
        fatalError("Duramen: a subclass of ValuesSource says whose values it reads.")
    }

    func destination(_ words: UnsafeRawPointer, slot: Int, key: Int64) -> ManagedObjectID? {
        fatalError("Duramen: a subclass of ValuesSource says where its to-ones lead.")
    }

    func transformedTypes(_ words: UnsafeRawPointer) -> TransformedTypes {
        fatalError("Duramen: a subclass of ValuesSource says who makes bytes of values.")
    }

    func members(at index: Int) -> [ManagedObjectID] {
        fatalError("Duramen: a subclass of ValuesSource says where its to-manys lead.")
    }
}

/// Reads the values of an object with its unsaved changes.
final class ObjectValuesSource: ValuesSource {
    private let object: ManagedObject

    init(_ object: ManagedObject) { self.object = object }

    func read<Values>(_ body: (ValuesReader) -> Values) -> Values {
        if object.words == nil { object.fireFault() }
        // If the object cannot be loaded, the defaults are read, as in getters. The row is
        // retained, because reading may replace the object's row.
        let row = object.row ?? object.plan.template
        return withExtendedLifetime((self, row)) {
            body(ValuesReader(words: row.unsafeWords, source: self))
        }
    }

    override func objectID(_ words: UnsafeRawPointer) -> ManagedObjectID { object.objectID }

    override func destination(
        _ words: UnsafeRawPointer, slot: Int, key: Int64
    ) -> ManagedObjectID? {
        guard let reference = object.plan.references[slot], let row = object.row else { return nil }
        return object.destinationID(of: reference, in: row)
    }

    override func transformedTypes(_ words: UnsafeRawPointer) -> TransformedTypes {
        object.plan.transformedTypes
    }

    override func members(at index: Int) -> [ManagedObjectID] { object.members(at: index) }
}
