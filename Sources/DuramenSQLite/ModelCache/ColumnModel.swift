import DuramenModel
import DuramenSQL
import DuramenStore

/// A model from the tables of a store that keeps none: names, and how values are stored.
///
/// ```
///   ZBOOK(Z_PK, Z_ENT, Z_OPT, ZAUTHOR INTEGER, ZTITLE VARCHAR)
///   Book with AUTHOR (Integer 64) and TITLE (String)
/// ```
/// Core Data writes names in capitals, and stores numbers, Booleans and the keys of to-ones as
/// integers. They cannot be distinguished, so an attribute has the type of its column. Sub-entities
/// share a table with their root, and have all of its columns.
struct ColumnModel {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// - Throws: `.modelMissing` for a store of Duramen, which only its own model opens;
    ///   `.unsupported`.
    func storedModel() throws(StoreError) -> StoredModel {
        guard try MetadataTable(connection: connection).formatVersion() == nil else {
            throw StoreError(
                .modelMissing,
                "'\(connection.path)' keeps no model of its own; open it with the model of the "
                    + "application that wrote it.")
        }
        let list = try EntityList(connection)
        var findings: [StoredModelFinding] = []
        var descriptions: [EntityDescription] = []
        var naming = AppleNaming.objects()
        let names = Dictionary(
            list.ofModel.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        let families = list.families
        for root in list.ofModel where root.parent == 0 {
            let attributes = try attributes(of: naming.table(for: root.name))
            guard let attributes else {
                findings.append(
                    .init(entity: root.name, property: nil, message: "it has no table; left out"))
                continue
            }
            let family = families[root.number] ?? []
            for entry in list.ofModel where family.contains(entry.number) {
                descriptions.append(
                    EntityDescription(
                        name: entry.name, superentity: names[entry.parent],
                        attributes: entry.number == root.number ? attributes : []))
            }
        }
        findings.append(
            StoredModelFinding(
                entity: "Model", property: nil,
                message: "the store keeps none; a model of its columns is used: names in capitals, "
                    + "references as keys, Booleans as numbers, without to-manys"))
        do {
            return StoredModel(
                model: try ManagedObjectModel(descriptions), findings: findings, transformables: [:]
            )
        } catch {
            throw StoreError(
                .unsupported,
                "No model can be made of the columns of '\(connection.path)': "
                    + error.mistakes.map(\.description).joined(separator: "; "))
        }
    }

    /// The attributes for the columns of a table; nil if it is missing.
    private func attributes(of table: String) throws(StoreError) -> [AttributeDescription]? {
        let source = "FROM pragma_table_info(\(SQLQuoting.literal(table))) ORDER BY cid"
        let columns = try connection.texts("SELECT name \(source)")
        let types = try connection.texts("SELECT type \(source)")
        if columns.isEmpty || columns.count != types.count { return nil }
        return zip(columns, types).compactMap { column, type in
            guard !["Z_PK", "Z_ENT", "Z_OPT"].contains(column), column.hasPrefix("Z"),
                let type = Self.type(ofColumn: type)
            else { return nil }
            let name = String(column.dropFirst())
            // Accepts only names from which the layout would derive this column.
            guard !name.isEmpty, !name.contains("."), name.utf8.count <= 200,
                StoredText("Z" + name.uppercased()) == StoredText(column)
            else { return nil }
            return AttributeDescription(name, type, isOptional: true)
        }
    }

    private static func type(ofColumn type: String) -> AttributeType? {
        switch type {
        case "INTEGER": .integer64
        case "FLOAT": .double
        case "TIMESTAMP": .date
        case "DECIMAL": .decimal
        case "VARCHAR": .string
        case "BLOB": .binaryData
        default: nil
        }
    }
}
