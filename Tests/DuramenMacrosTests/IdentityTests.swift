public import Duramen
import DuramenMacros
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// A class whose own `id` is a server's.
@Managed
final class Repository: ManagedObject {
    @Attribute(.unique) var id: Int64
    var name: String = ""
    @Relationship var parent: Repository?
}

/// A class without an `id`, and one below it that has one.
@Managed
class Shape: ManagedObject {
    var name: String?
}

@Managed
final class Polygon: Shape {
    var id: String?
}

/// A class with an `id` and one below it without.
@Managed
class Numbered: ManagedObject {
    var id: Int = 0
}

@Managed
final class Ticket: Numbered {
    var price: Double = 0
}

/// Nobody outside sees its `id`.
@Managed
public final class Hidden: ManagedObject {
    var id: Int = 0
}

@Composite
struct Position {
    var row: Int = 0
}

/// Its `id` is a composite, which is not `Hashable`.
@Managed
final class Cell: ManagedObject {
    @Attribute(.composite) var id: Position = Position()
}

enum Outer {
    @Managed
    fileprivate final class Nested: ManagedObject {
        var id: Int = 0
    }
}

@MainActor struct IdentityTests {
    private func container(_ store: PersistentStoreDescription = .memory()) throws
        -> PersistentContainer
    {
        try PersistentContainer.open(
            model: ManagedObjectModel(
                Repository.self, Shape.self, Polygon.self, Numbered.self, Ticket.self, Hidden.self,
                Cell.self, Outer.Nested.self),
            stores: [store])
    }

    private func context() throws -> ManagedObjectContext { try container().viewContext }

    private func identity<Value: Identifiable>(_ value: Value) -> Value.ID { value.id }

    @Test func anObjectIsIdentifiedByItsObjectIDOrByAnAttributeCalledID() throws {
        let context = try context()
        let shape = Shape(context: context)
        let repository = Repository(context: context)
        repository.id = 7
        let cell = Cell(context: context)
        cell.id.row = 3
        #expect(identity(shape) == shape.objectID && shape.id == shape.objectID)
        #expect(identity(repository) == 7 && repository.id == 7)
        #expect(identity(Hidden(context: context)).isTemporaryID)
        #expect(identity(Outer.Nested(context: context)) == 0)
        #expect(identity(cell) == cell.objectID && cell.id.row == 3)
    }

    @Test func aSubclassIsIdentifiedAsItsSuperclassIs() throws {
        let context = try context()
        let polygon = Polygon(context: context)
        polygon.id = "p"
        let ticket = Ticket(context: context)
        ticket.id = 4
        #expect(identity(polygon) == polygon.objectID && polygon.id == "p")
        #expect(identity(ticket) == 4)
        #expect(ticket.values.id == 4 && identity(ticket.values) == 4)
        #expect(ticket.values.objectID == ticket.objectID)
        #expect(polygon.values.id == "p")
        var values = ticket.values
        values.id = 5
        try ticket.apply(values)
        #expect(ticket.id == 5)
    }

    @Test(arguments: [false, true])
    func anAttributeCalledIDIsStoredFoundAndSelected(inSQLite: Bool) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "duramen-\(UUID().uuidString).sqlite").path
        let container = try container(inSQLite ? .sqlite(path) : .memory())
        let context = container.viewContext
        defer {
            try? container.close()
            if inSQLite { try? SQLiteStoreType().destroy(.sqlite(path)) }
        }
        for number: Int64 in 1...3 {
            Repository(context: context).id = number
        }
        try context.save()
        context.reset()
        let request = FetchRequest<Repository>().where { $0.id >= 2 }.sorted(by: \.id, .descending)
        #expect(try context.fetch(request).map(\.id) == [3, 2])
        let text = FetchRequest<Repository>().where(try FetchPredicate("id == 1"))
        #expect(try context.fetch(text).map(\.id) == [1])
        let ids: [Int64] = try container.fetchAndWait(
            FetchRequest<Repository>().sorted(by: \.id).select(\.id))
        #expect(ids == [1, 2, 3])
    }

    @Test func aServersIDIsDecodedIntoTheAttribute() throws {
        let context = try context()
        let text = #"{"id": 44838949, "name": "swift", "stars": 67}"#
        let values = try JSONDecoder().decode(Repository.Values.self, from: Data(text.utf8))
        #expect(values.id == 44_838_949 && values.name == "swift")
        #expect(values.objectID.isTemporaryID)
        let repository = try Repository(values, context: context)
        try context.save()
        #expect(repository.values.objectID == repository.objectID)
        let copy = try JSONDecoder().decode(
            Repository.Values.self, from: JSONEncoder().encode(repository.values))
        #expect(copy == repository.values)
    }

    @Test func valuesWithoutAnAttributeCalledIDAreIdentifiedByTheObjectID() throws {
        let context = try context()
        let shape = Shape(context: context)
        var values = Shape.Values(shape)
        #expect(identity(values) == shape.objectID)
        values.id = .temporary(entity: EntityHandle(name: "Shape"))
        #expect(values.objectID != shape.objectID)
        #expect(identity(Cell(context: context).values).isTemporaryID)
    }
}
