import DuramenModel
import DuramenQuery

/// The rows of related objects that the order, sections and condition of a list use over to-ones.
struct RelatedRows: EvaluationSource, Sendable {
    let model: ManagedObjectModel
    let store: StoreHandle
    /// The rows; nil for an object that does not exist.
    private(set) var rows: [ManagedObjectID: Row?] = [:]

    init(model: ManagedObjectModel, store: StoreHandle) {
        self.model = model
        self.store = store
    }

    /// Whether the state of an object is known, including that it does not exist.
    func isKnown(_ id: ManagedObjectID) -> Bool { rows[id] != nil }

    mutating func set(_ row: Row?, for id: ManagedObjectID) { rows[id] = .some(row) }

    mutating func forget(_ id: ManagedObjectID) { rows[id] = nil }

    func row(for id: ManagedObjectID) -> Row? { rows[id] ?? nil }

    /// Always empty: orders do not follow to-manys, and the store evaluates such conditions.
    func destinations(of relationship: Relationship, from id: ManagedObjectID) -> [ManagedObjectID]
    { [] }
}
