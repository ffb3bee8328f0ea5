import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport

/// A model for tests of faults and races.
enum FaultModel {
    static let model = testModel([
        EntityDescription(
            name: "Counter",
            attributes: [
                AttributeDescription("value", .integer64, isOptional: true),
                AttributeDescription("list", .string, isOptional: true),
            ]),
        EntityDescription(
            name: "Tag",
            attributes: [
                AttributeDescription("label", .string, isOptional: true),
                AttributeDescription("code", .string, isOptional: true),
            ],
            uniquenessConstraints: [["code"]]),
    ])

    /// One with an attribute that is computed from other objects.
    static let derived = testModel([
        EntityDescription(
            name: "Parent",
            attributes: [
                AttributeDescription("count", .integer64, isOptional: true, default: .integer(0))
                    .derived(from: "children.@count")
            ],
            relationships: [.toMany("children", destination: "Child", inverse: "parent")]),
        EntityDescription(
            name: "Child",
            relationships: [.toOne("parent", destination: "Parent", inverse: "children")]),
    ])
}

extension PersistentStore {
    /// The row of an object, which must exist.
    func present(_ id: ManagedObjectID, in snapshot: any StoreSnapshot) throws -> Row {
        guard let row = try snapshot.rows(for: [id]).first else {
            throw StoreError(.invalidRequest, "no row of \(id.entityName) \(id.key)")
        }
        return row
    }

    /// The values of a row by the names of its properties.
    func values(_ row: Row) -> [String: StoredValue] {
        RowCoding.values(of: row, in: model, store: handle)
    }

    /// A whole number of a row; 0 for null.
    func integer(_ row: Row, _ name: String) -> Int64 {
        if case .integer(let number)? = values(row)[name] { number } else { 0 }
    }

    /// An update of a row that was read.
    func edit(_ row: Row, _ new: [String: StoredValue]) throws -> RowUpdate {
        let entity = model[row.entityID]
        let all = values(row).merging(new) { $1 }.filter { !$0.value.isNull }
        return RowUpdate(
            row: try self.row(entity.name, key: row.key, all), baseVersion: row.version,
            changedSlots: RowCoding.slots(of: new.keys, in: entity))
    }

    /// A check that a row is as it was read.
    func check(_ row: Row) -> RowCheck {
        RowCheck(id: row.objectID(in: model, store: handle), baseVersion: row.version)
    }

    /// The rows of an entity in a snapshot.
    func all(_ name: String, in snapshot: any StoreSnapshot) throws -> [Row] {
        try Array(QueryExecution(query(name), on: self, in: snapshot).rows())
    }

    /// Adds one to a counter, as often as others come first.
    ///
    /// - Returns: How often others came first.
    @discardableResult
    func increment(_ id: ManagedObjectID) throws -> Int {
        var conflicts = 0
        while true {
            let row = try present(id, in: snapshot())
            let update = try edit(row, ["value": .integer(integer(row, "value") + 1)])
            do throws(StoreError) {
                if case .saved = try save(ChangeSet(updates: [update])) { return conflicts }
            } catch {
                // A crowded counter: others came first as often as a save tries by itself.
                if error.code != .storeBusy { throw error }
            }
            conflicts += 1
        }
    }
}
