import DuramenModel
import Testing

/// Named parts of a model.
@Suite struct ConfigurationTests {
    private let entities = [
        EntityDescription(
            name: "Animal", isAbstract: true,
            relationships: [.toMany("keepers", destination: "Person", inverse: "animals")]),
        EntityDescription(name: "Dog", superentity: "Animal"),
        EntityDescription(
            name: "Person", relationships: [.toMany("animals", destination: "Animal")]),
        EntityDescription(name: "Setting", attributes: [AttributeDescription("key", .string)]),
    ]

    private func model(_ configurations: [String: [String]]) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities,
            configurations: configurations.map { ConfigurationDescription($0, entities: $1) })
    }

    private func codes(_ configurations: ConfigurationDescription...) -> [ModelError.Code] {
        do {
            _ = try ManagedObjectModel(entities, configurations: configurations)
            return []
        } catch {
            return error.mistakes.map(\.code)
        }
    }

    @Test("A configuration has its entities, and no configuration all of them")
    func entitiesOfAConfiguration() throws {
        let model = try model([
            "Zoo": ["Person", "Dog", "Animal"], "Local": ["Setting"], "Empty": [],
            "All": ["Animal", "Dog", "Person", "Setting"],
        ])
        #expect(
            model.entities(forConfiguration: "Zoo")?.map(\.name) == ["Animal", "Dog", "Person"])
        #expect(model.entities(forConfiguration: "Local")?.first === model.entity(named: "Setting"))
        #expect(model.entities(forConfiguration: nil)?.count == 4)
        #expect(model.entities(forConfiguration: "Empty")?.isEmpty == true)
        #expect(model.entities(forConfiguration: "Nothing") == nil)
        #expect(try model.submodel(forConfiguration: nil) === model)
    }

    @Test("Configurations change no version hash, and a submodel has those of its entities")
    func versionHashes() throws {
        let plain = try model([:])
        let model = try model(["Zoo": ["Person", "Dog", "Animal"]])
        #expect(model.versionChecksum == plain.versionChecksum)
        let zoo = try #require(try model.submodel(forConfiguration: "Zoo"))
        #expect(zoo.entities.count == 3 && zoo.versionChecksum != plain.versionChecksum)
        for entity in zoo.entities {
            #expect(plain.entity(named: entity.name)?.versionHash == entity.versionHash)
        }
    }

    @Test("Mistakes are found: unknown and duplicate names, and what the entities need")
    func mistakes() {
        #expect(codes(.init("A", entities: ["Nobody"])) == [.unknownEntity])
        #expect(codes(.init("A", entities: []), .init("A", entities: [])) == [.duplicateName])
        #expect(codes(.init("", entities: ["Setting"])) == [.invalidName])
        #expect(codes(.init("A", entities: ["Animal", "Person"])).isEmpty)
    }

    @Test(
        "A configuration that lacks something is a mistake where it is asked for, and nowhere else",
        arguments: ["Dog", "Person"])
    func incompleteConfigurations(_ entity: String) throws {
        let model = try model(["Part": [entity], "Local": ["Setting"]])
        #expect(model.entities(forConfiguration: "Part")?.map(\.name) == [entity])
        #expect(try model.submodel(forConfiguration: "Local")?.entities.count == 1)
        let error = try #require(throws: ModelError.self) {
            try model.submodel(forConfiguration: "Part")
        }
        #expect(error.mistakes.map(\.code) == [.invalidConfiguration])
        #expect(error.mistakes.map(\.entity) == ["Part"])
    }

    @Test("Mistakes of configurations are told together with all others")
    func mistakesTogether() throws {
        let wrong =
            entities + [
                EntityDescription(
                    name: "Sum",
                    attributes: [
                        AttributeDescription("total", .double).derived(from: "key"),
                        AttributeDescription("total", .double),
                        AttributeDescription("key", .string),
                        AttributeDescription("none", .string).derived(from: "nothing"),
                    ])
            ]
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(wrong, configurations: [.init("A", entities: ["Nobody"])])
        }
        #expect(
            Set(error.mistakes.map(\.code)) == [
                .duplicateName, .invalidDerivation, .unknownProperty, .unknownEntity,
            ])
    }
}
