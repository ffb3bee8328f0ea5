import Duramen
import Testing

/// A class that says nothing of its entity, as those of model files are often written.
private class Plain: ManagedObject {}
private final class Special: Plain {}
private final class Box<Content>: ManagedObject {}

@Suite struct SilentClassTests {
    private func description(
        _ name: String, _ type: ManagedObject.Type, below parent: String? = nil
    ) -> EntityDescription {
        var description = EntityDescription(
            name: name, superentity: parent,
            attributes: [AttributeDescription("note of \(name)", .string, isOptional: true)])
        description.managedObjectClass = ManagedObjectClass(type)
        return description
    }

    @Test(arguments: StoreKind.allCases)
    func itsObjectsAreUsedByKey(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            description("Plain", Plain.self), description("Special", Special.self, below: "Plain"),
        ])
        let container = try kind.container(model)
        let context = container.makeContext()
        let plain = Plain(context: context)
        try plain.setValue("a", forKey: "note of Plain")
        try Special(context: context).setValue("b", forKey: "note of Special")
        try context.save()
        let found = try container.makeContext().fetch(FetchRequest<Plain>())
        #expect(found.map(\.entity.name).sorted() == ["Plain", "Special"])
        #expect(found.contains { $0 is Special })
        #expect(
            try found.compactMap { try $0.value(forKey: "note of Plain") as? String } == ["a"])
    }

    @Test func aModelCannotBeMadeFromIt() throws {
        let error = try #require(throws: ModelError.self) { try ManagedObjectModel(Plain.self) }
        #expect(error.mistakes.map(\.code) == [.classMismatch])
        #expect(error.mistakes.map(\.entity) == ["Plain"])
    }

    @Test func aGenericClassIsRefusedWhenTheContainerOpens() throws {
        let model = try ManagedObjectModel([description("Box", Box<Int>.self)])
        let error = try #require(throws: ModelError.self) { try StoreKind.memory.container(model) }
        #expect(error.mistakes.map(\.code) == [.classMismatch])
    }

    @Test func aClassThatDeclaresAnotherEntityIsRefusedWhenTheContainerOpens() throws {
        let model = try ManagedObjectModel([description("Plain", Quake.self)])
        let error = try #require(throws: ModelError.self) { try StoreKind.memory.container(model) }
        #expect(error.mistakes.map(\.code) == [.classMismatch])
    }
}
