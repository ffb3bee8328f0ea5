import DuramenModel
import DuramenQuery
import DuramenSQL

/// The tables of a small model, one for each hierarchy, with a typed column for each slot.
struct TypedTables: SQLMapping {
    let model: ManagedObjectModel
    let store = StoreHandle(rawValue: 7)

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription("name", .string, isOptional: true),
                    AttributeDescription("home", .uri, isOptional: true),
                    AttributeDescription("born", .date, isOptional: true),
                    AttributeDescription("age", .integer32, isOptional: true),
                    AttributeDescription("isActive", .boolean, isOptional: true),
                    AttributeDescription("height", .double, isOptional: true),
                    AttributeDescription("weight", .float, isOptional: true),
                    AttributeDescription("salary", .decimal, isOptional: true),
                    AttributeDescription("photo", .binaryData, isOptional: true),
                    AttributeDescription("code", .uuid, isOptional: true),
                ],
                relationships: [.toMany("books", destination: "Book", inverse: "author")]),
            EntityDescription(name: "Poet", superentity: "Person"),
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("title", .string, isOptional: true),
                    AttributeDescription("pages", .integer16, isOptional: true),
                    AttributeDescription("price", .decimal, isOptional: true),
                ],
                relationships: [
                    .toOne("author", destination: "Person", inverse: "books"),
                    .toMany("tags", destination: "Tag", inverse: "books"),
                ]),
            EntityDescription(
                name: "Tag", attributes: [AttributeDescription("word", .string, isOptional: true)],
                relationships: [.toMany("books", destination: "Book", inverse: "tags")]),
        ])
    }

    var keyColumn: String { "id" }
    var entityColumn: String { "entity" }
    func table(of entity: EntityID) -> String {
        var entity = model[entity]
        while let parent = entity.superentity { entity = model[parent] }
        return entity.name.lowercased()
    }
    func number(of entity: EntityID) -> Int64 { Int64(entity.index) + 1 }
    func column(slot: Int, of entity: EntityID) -> String {
        for attribute in model[entity].attributes where attribute.slot == slot {
            return attribute.name
        }
        for relationship in model[entity].relationships {
            guard case .toOne(let key, let second) = relationship.storage else { continue }
            if key == slot { return relationship.name }
            if second == slot { return relationship.name + "_entity" }
        }
        return "none"
    }
    func pairs(of relationship: RelationshipID) -> SQLPairTable? {
        let own = model[relationship]
        guard case .manyToMany = own.storage else { return nil }
        let pairs = SQLPairTable(
            table: "book_tags", ownerColumn: "book", destinationColumn: "tag")
        return own.name == "tags" ? pairs : pairs.reversed
    }
    func coversTable(_ entities: [EntityID]) -> Bool {
        guard let first = entities.first else { return false }
        let table = table(of: first)
        return model.entities.count { self.table(of: $0.id) == table } == entities.count
    }

    func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else { throw MissingEntity() }
        return entity
    }

    func id(_ name: String, _ key: Int64) throws -> ManagedObjectID {
        ManagedObjectID(store: store, entity: try entity(name).handle, key: key)
    }

    private struct MissingEntity: Error {}
}

/// A store of these tables that is never read.
struct TypedSource: SQLQuerySource {
    let mapping: TypedTables
    let dialect = PostgresDialect()
    // Not the queries themselves, which keep it.
    let tables: any AnyObject & Sendable = Tables()
    let compiled = CompiledQueries()

    private final class Tables: Sendable {}

    init() throws { mapping = try TypedTables() }

    func selection(for query: StoreQuery) -> SQLSelection {
        let family = mapping.model[query.entity].family
        let columns = SQLRowColumns(
            query.includesSubentities ? family : [query.entity], in: mapping, slots: query.slots,
            first: ["t0.id", "t0.entity", "t0.version"])
        return SQLSelection(columns: columns.text, plan: tables)
    }
}
