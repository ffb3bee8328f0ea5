import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenTool

/// No store keeps yet which attributes are confidential, so this asks the parts of the program.
@Suite struct ConfidentialTests {
    @Test("Confidential values are hidden unless they are asked for, over to-ones too")
    func hiding() throws {
        var secret = AttributeDescription("secret", .string, isOptional: true)
        secret.isConfidential = true
        let model = testModel([
            EntityDescription(
                name: "Person",
                attributes: [AttributeDescription("name", .string, isOptional: true), secret],
                relationships: [.toOne("friend", destination: "Person", inverse: "friend")])
        ])
        let store = try PersistentStoreDescription.memory().open(model: model)
        let friend = try store.insert("Person", ["secret": .text("swordfish")])
        try store.insert("Person", ["name": .text("A"), "friend": .objectID(friend)])
        let snapshot: any StoreSnapshot = try store.snapshot()
        let list = ColumnList(entity: try store.entity("Person"), model: store.model)
        let columns = try list.columns("name,secret,friend.secret")
        let query = try store.query("Person", compare("name", .equal, .text("A")))
        let row = try #require(try QueryExecution(query, on: store, in: snapshot).rows().first)
        func texts(_ shows: Bool) throws -> [String] {
            try CellReader(columns, showsConfidential: shows, of: store, in: snapshot)
                .cells(of: row).map { cell in
                    switch cell {
                    case .hidden: Cell.hiddenText
                    case .value(let value): value.shortText
                    }
                }
        }
        #expect(try texts(false) == ["A", "•••", "•••"])
        #expect(try texts(true) == ["A", "nil", "swordfish"])
        try store.close()
    }

    @Test("Columns of a composite are its elements")
    func composites() throws {
        let model = testModel([
            EntityDescription(
                name: "Quake",
                attributes: [
                    .composite(
                        "epicentre",
                        elements: [
                            AttributeDescription("latitude", .double),
                            AttributeDescription("longitude", .double),
                        ])
                ])
        ])
        let list = ColumnList(entity: try #require(model.entity(named: "Quake")), model: model)
        #expect(
            try list.columns("epicentre").map(\.title)
                == ["epicentre.latitude", "epicentre.longitude"])
        #expect(
            try list.columns("epicentre.longitude,objectID").map(\.title)
                == ["epicentre.longitude", "objectID"])
    }
}
