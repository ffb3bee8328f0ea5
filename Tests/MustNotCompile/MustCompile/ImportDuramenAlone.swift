// One import gives models, predicates, IDs and errors: what the modules below declare.

import Duramen

func makeModel() throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel([
        EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription("title", .string),
                AttributeDescription("pages", .integer32, isOptional: true),
            ],
            relationships: [.toOne("author", destination: "Author")],
            uniquenessConstraints: [["title"]]),
        EntityDescription(
            name: "Author", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toMany("books", destination: "Book", deleteRule: .cascade, inverse: "author")
            ]),
    ])
}

@MainActor
func longBooks(in container: PersistentContainer) throws -> [ManagedObjectID] {
    let isLong = FetchPredicate.keyPath("pages", .greater, 500)
    let request = FetchRequest<ManagedObject>(entityName: "Book")
        .where(isLong).sorted(by: FetchSortDescriptor("title", ascending: true))
    do {
        return try container.viewContext.fetch(request).map(\.objectID)
    } catch let error as StoreError where error.code == .closed {
        return []
    } catch let error as FetchPredicateError {
        print(error)
        return []
    }
}

func describe(_ error: any Error) -> String {
    switch error {
    case let error as SaveConflictError: "\(error.conflicts.count) conflicts"
    case let error as ValidationError: "\(error)"
    case let error as ContextError: "\(error.code)"
    case let error as ModelError: "\(error)"
    default: "\(error)"
    }
}

func openStore(_ model: ManagedObjectModel, at path: String) async throws -> PersistentContainer {
    let types = StoreTypes([any PersistentStoreType]())
    var description = try types.description(for: "memory:\(path)")
    description.durability = Durability.relaxed
    return try await PersistentContainer(model: model, stores: [description])
}

func isNewer(_ token: PersistentHistoryToken, than other: PersistentHistoryToken) -> Bool {
    token > other && !(token <= other)
}

func changes(in transactions: [PersistentHistoryTransaction]) -> [PersistentHistoryChange] {
    transactions.flatMap { transaction in transaction.changes ?? [] }
}

func conditions(_ isLong: FetchPredicate, _ isNew: FetchPredicate) -> FetchPredicate {
    isLong && isNew || !isLong
}
