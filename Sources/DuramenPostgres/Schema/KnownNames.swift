import DuramenModel

/// The names and numbers that a store has given to the parts of its model.
///
/// They are recorded when a table is made, so that a renamed property keeps its column.
struct KnownNames: Sendable {
    /// A property of an entity, or one side of a many-to-many.
    struct Place: Hashable, Sendable {
        let entity: StoredText
        let property: StoredText
        let part: String

        init(_ entity: String, _ property: String, _ part: String) {
            self.entity = StoredText(entity)
            self.property = StoredText(property)
            self.part = part
        }
    }

    /// The number of each entity.
    var entities: [StoredText: Int32] = [:]
    /// The table of each hierarchy, by the name of its first entity.
    var tables: [StoredText: String] = [:]
    /// The column of each property.
    var columns: [Place: String] = [:]
    /// The table of each many-to-many, by the place of its first side.
    var pairs: [Place: String] = [:]
    /// The number of each constraint, by its entity and properties.
    var constraints: [Place: Int32] = [:]

    /// The mark in place of a column's part that names the table of a many-to-many.
    static let pairPart = "pairs"

    /// Returns the place of a constraint.
    static func place(of constraint: UniquenessConstraint, in model: ManagedObjectModel) -> Place {
        Place(
            model[constraint.entity].name, constraint.properties.joined(separator: "\u{1}"), "")
    }
}
