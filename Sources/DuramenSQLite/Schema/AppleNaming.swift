import DuramenModel

/// Chooses Core Data's names for tables, columns and indexes.
///
/// SQLite ignores ASCII case in names, and Core Data writes them in capitals. If two names would
/// collide, the later one gets a digit. This also applies to names that differ only in their
/// Unicode form, since statements are cached by their texts.
struct AppleNaming {
    private var taken: Set<String>

    /// Creates a namespace with only the layout's own names.
    init(reserved: [String]) { taken = Set(reserved.map(Self.folded)) }

    /// The namespace of the tables and indexes of a file.
    static func objects() -> AppleNaming {
        AppleNaming(reserved: [
            "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION",
            "ATRANSACTIONSTRING", "DURAMEN_CONSUMER", "DURAMEN_SAVE", "DURAMEN_DECIMAL",
            "DURAMEN_MODEL", "DURAMEN_EPOCH", "DURAMEN_CHECKSUM",
            "sqlite_sequence",
            "sqlite_master", "sqlite_schema", "sqlite_stat1", "sqlite_stat4",
        ])
    }

    /// The namespace of the columns of an entity table.
    static func columns() -> AppleNaming {
        AppleNaming(reserved: ["Z_PK", "Z_ENT", "Z_OPT", "rowid", "oid", "_rowid_"])
    }

    /// The namespace of the columns of pair tables.
    static func pairColumns() -> AppleNaming {
        AppleNaming(reserved: ["rowid", "oid", "_rowid_"])
    }

    /// The name for an entity's table.
    mutating func table(for entity: String) -> String { claim("Z" + entity.uppercased()) }

    /// The name for the column of an attribute, an element of a composite or a to-one.
    mutating func column(for property: String) -> String {
        claim("Z" + Self.withoutDots(property).uppercased())
    }

    /// The name for the second column of a to-one whose destination has sub-entities.
    mutating func entityColumn(for property: String, destinationNumber: Int) -> String {
        claim("Z\(destinationNumber)_" + property.uppercased())
    }

    /// The name for the column of the inverse of a to-many that has no named inverse.
    mutating func hiddenColumn(for toMany: String, ownerNumber: Int) -> String {
        claim("Z\(ownerNumber)" + toMany.uppercased())
    }

    /// The name for the column with the order numbers of the other side of a reference.
    mutating func orderColumn(of column: String, isOfPairs: Bool) -> String {
        // Columns of pairs begin with `Z_` and a number, all others with `Z`.
        claim("Z_FOK_" + column.dropFirst(isOfPairs ? 2 : 1))
    }

    /// The name for a table of pairs, or for one of its columns.
    mutating func pairName(for relationship: String, number: Int) -> String {
        claim("Z_\(number)" + relationship.uppercased())
    }

    /// The second column of the pairs of a relationship that is its own inverse.
    static let reflexive = "REFLEXIVE"

    /// The name for an index that Core Data creates automatically.
    mutating func columnIndex(table: String, column: String) -> String {
        claim("\(table)_\(column)_INDEX")
    }

    /// The name for an index of the model.
    mutating func fetchIndex(entity: String, name: String) -> String {
        claim("Z_\(entity)_\(name)")
    }

    /// The name for the index of a uniqueness constraint.
    mutating func uniqueIndex(entity: String, properties: [String]) -> String {
        claim("Z_\(entity)_UNIQUE_" + Self.withoutDots(properties.joined(separator: "_")))
    }

    // Only paths of elements of composites have dots, so a digit distinguishes them from other
    // names.
    private static func withoutDots(_ path: String) -> String {
        String(String.UnicodeScalarView(path.unicodeScalars.map { $0 == "." ? "_" : $0 }))
    }

    private mutating func claim(_ name: String) -> String {
        var candidate = name
        var digit = 0
        while taken.contains(Self.folded(candidate)) || taken.contains(candidate) {
            digit += 1
            candidate = name + String(digit)
        }
        taken.insert(Self.folded(candidate))
        taken.insert(candidate)
        return candidate
    }

    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// Whether an entity's name comes first, ignoring case.
    static func precedes(_ one: Entity, _ other: Entity) -> Bool {
        let (left, right) = (
            StoredText(one.name.lowercased()), StoredText(other.name.lowercased())
        )
        return left == right ? one.id < other.id : left < right
    }

    /// Numbers from 1: roots by name ignoring case, each followed by its sub-entities.
    static func entityNumbers(of model: ManagedObjectModel) -> [Int] {
        var numbers = [Int](repeating: 0, count: model.entities.count)
        var next = 1
        func ordered(_ ids: [EntityID]) -> [EntityID] {
            ids.sorted { precedes(model[$0], model[$1]) }
        }
        // A stack with the next entity last. The depth of inheritance is up to the model, so
        // nothing recurses.
        var waiting = Array(
            ordered(model.entities.filter { $0.superentity == nil }.map(\.id)).reversed())
        while let id = waiting.popLast() {
            numbers[id.index] = next
            next += 1
            waiting += ordered(model[id].subentities).reversed()
        }
        return numbers
    }
}
