import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import JSONStore
import Testing

/// A store of books, without contexts.
struct Shelf {
    static let model = Result {
        try ManagedObjectModel([
            EntityDescription(
                name: "Book",
                attributes: [
                    AttributeDescription("pages", .integer16, isOptional: true),
                    AttributeDescription("title", .string),
                ],
                relationships: [
                    .toOne("sequel", destination: "Book", inverse: "prequels"),
                    .toMany("prequels", destination: "Book"),
                    .toMany("quotes", destination: "Book", inverse: "quotedBy"),
                    .toMany("quotedBy", destination: "Book"),
                ])
        ])
    }

    let path: String
    let description: PersistentStoreDescription
    let store: any PersistentStore
    private let book: Entity

    init(
        _ path: String, isReadOnly: Bool = false, timeoutSeconds: Double = 10,
        durability: Durability = .unsafeNoSync
    ) throws {
        self.path = path
        var description = PersistentStoreDescription.json(path).timeout(seconds: timeoutSeconds)
            .durability(durability)
        description.isReadOnly = isReadOnly
        self.description = description
        let model = try Self.model.get()
        store = try description.open(model: model)
        book = try #require(model.entity(named: "Book"))
    }

    func keys(_ count: Int) throws -> Set<Int64> {
        Set(try store.allocateKeys(count, for: book.id))
    }

    /// Saves a book, and returns the save's identifier.
    @discardableResult
    func add(_ title: String, pages: Int64? = nil) throws -> UUID {
        let key = try store.allocateKeys(1, for: book.id).lowerBound
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: book.id, slotCount: book.layout.slotCount, key: key, version: .unsaved)
        for case .attribute(let attribute) in [
            book.property(named: "title"), book.property(named: "pages"),
        ] {
            let value: StoredValue =
                attribute.type == .string
                ? .text(StoredText(title)) : pages.map { .integer($0) } ?? .null
            builder.set(value, at: attribute.slot, as: attribute.kind)
        }
        builder.endRow()
        let changes = ChangeSet(inserts: RowList(builder.finish()))
        guard case .saved = try store.save(changes) else {
            Issue.record("a new book conflicts")
            return changes.identifier
        }
        return changes.identifier
    }

    func titles(in snapshot: (any StoreSnapshot)? = nil) throws -> [String] {
        let rows = try QueryExecution(
            StoreQuery(entity: book.id, sortDescriptors: [FetchSortDescriptor("title")]),
            on: store, in: snapshot ?? store.snapshot()
        ).rows()
        guard case .attribute(let title) = book.property(named: "title") else { return [] }
        return rows.map { $0.string(title.slot) }
    }
}

/// Expects a store error of a code.
func expect(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    #expect(sourceLocation: sourceLocation) {
        try body()
    } throws: { error in
        (error as? StoreError)?.code == code
    }
}
