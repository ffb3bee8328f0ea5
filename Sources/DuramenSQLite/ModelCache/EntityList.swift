import CSQLite
import DuramenModel
import DuramenStore

/// The entities of a file, as its table `Z_PRIMARYKEY` lists them.
struct EntityList {
    /// One entity.
    struct Entry {
        var number: Int
        var name: String
        /// The parent's number; 0 for none.
        var parent: Int
        /// The highest allocated key, for roots.
        var maximumKey: Int64
    }

    private(set) var entries: [Entry] = []

    /// The first number of Core Data's internal entities.
    static let firstOfFramework = 16_001
    /// More than any model has.
    private static let mostEntries = 10_000

    init(_ connection: Connection) throws(StoreError) {
        let statement = try connection.prepare(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        connection.begin(statement)
        defer { connection.end(statement) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { break }
            guard result == SQLITE_ROW else { throw connection.error(result, "read") }
            let number = sqlite3_column_int64(statement.handle, 0)
            // Entities have 16 bits; other rows are not of this layout.
            guard let text = sqlite3_column_text(statement.handle, 1), number > 0, number < 65_536
            else { continue }
            if entries.count == Self.mostEntries {
                throw StoreError(
                    .unsupported,
                    "'\(connection.path)' lists more than \(Self.mostEntries) entities.")
            }
            entries.append(
                Entry(
                    number: Int(number), name: String(cString: text),
                    parent: Int(clamping: sqlite3_column_int64(statement.handle, 2)),
                    maximumKey: sqlite3_column_int64(statement.handle, 3)))
        }
    }

    /// The numbers of all entities in the table of a root, by the root's number.
    var families: [Int: Set<Int>] {
        let entries = ofModel
        let places = Dictionary(
            entries.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        let hierarchy = Hierarchy(
            parents: entries.map { $0.parent == 0 ? nil : places[$0.parent] })
        var families: [Int: Set<Int>] = [:]
        // A cycle of parents has no root.
        for place in hierarchy.order where entries[hierarchy.roots[place]].parent == 0 {
            families[entries[hierarchy.roots[place]].number, default: []]
                .insert(entries[place].number)
        }
        return families
    }

    /// Whether an entity is internal to Core Data and not part of a model. The history and
    /// NSPersistentCloudKitContainer have such entities, whose tables begin with `A`.
    private static func isOfFramework(_ entry: Entry) -> Bool {
        guard entry.number >= firstOfFramework else { return false }
        return ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"].contains(entry.name)
            || isOfCloudKit(entry)
    }

    private static func isOfCloudKit(_ entry: Entry) -> Bool {
        entry.number >= firstOfFramework && entry.name.hasPrefix("NSCK")
    }

    /// The entities with NSPersistentCloudKitContainer's data about the server's records.
    var ofCloudKit: [Entry] { entries.filter(Self.isOfCloudKit) }

    /// The entities of the model.
    var ofModel: [Entry] { entries.filter { !Self.isOfFramework($0) } }
}
