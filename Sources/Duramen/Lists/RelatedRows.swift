import DuramenModel
import DuramenQuery

/// The rows of other objects that the order, the sections and the condition of a list look at over
/// to-ones.
struct RelatedRows: EvaluationSource, Sendable {
    let model: ManagedObjectModel
    let store: StoreHandle
    /// Nil for an object that is not there.
    private(set) var rows: [ManagedObjectID: Row?] = [:]

    init(model: ManagedObjectModel, store: StoreHandle) {
        self.model = model
        self.store = store
    }

    /// Whether it is known what an object has, or that it is not there.
    func isKnown(_ id: ManagedObjectID) -> Bool { rows[id] != nil }

    mutating func set(_ row: Row?, for id: ManagedObjectID) { rows[id] = .some(row) }

    mutating func forget(_ id: ManagedObjectID) { rows[id] = nil }

    func row(for id: ManagedObjectID) -> Row? { rows[id] ?? nil }

    /// No order goes over a to-many; conditions that do are asked of the store.
    func destinations(of relationship: Relationship, from id: ManagedObjectID) -> [ManagedObjectID]
    { [] }
}
