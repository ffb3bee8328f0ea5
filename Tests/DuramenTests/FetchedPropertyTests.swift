import Duramen
import Testing

/// Fetched properties: conditions under a name.
@MainActor
@Suite struct FetchedPropertyTests {
    private static func person(
        _ properties: [FetchedPropertyDescription]
    ) -> EntityDescription {
        var person = EntityDescription(
            name: "Person",
            attributes: [
                AttributeDescription("name", .string, isOptional: true),
                AttributeDescription("age", .integer64, default: .integer(0)),
            ],
            relationships: [
                .toMany("friends", destination: "Person", inverse: "friends"),
                .toOne("boss", destination: "Person", inverse: "staff"),
                .toMany("staff", destination: "Person", inverse: "boss"),
            ])
        person.fetchedProperties = properties
        return person
    }

    private static let model = [
        person([
            FetchedPropertyDescription(
                "namesakes", destination: "Person",
                predicateFormat: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE",
                sortKeys: [.init("age", isAscending: false)]),
            FetchedPropertyDescription(
                "colleagues", destination: "Person",
                predicateFormat:
                    "boss == $FETCH_SOURCE.boss AND NOT (SELF IN $FETCH_SOURCE.friends)"),
            FetchedPropertyDescription(
                "eldest", destination: "Person", sortKeys: [.init("age", isAscending: false)],
                fetchLimit: 1, userInfo: ["note": "x"]),
            FetchedPropertyDescription(
                "strange", destination: "Person",
                predicateFormat:
                    "name == $FETCHED_PROPERTY.name OR name == $FETCHED_PROPERTY.userInfo.key",
                userInfo: ["key": "noted"]),
        ]), EntityDescription(name: "Manager", superentity: "Person"),
    ]

    private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
        try kind.container(ManagedObjectModel(Self.model)).viewContext
    }

    @Test(arguments: StoreKind.allCases)
    func theConditionSeesItsOwnerAsItIs(kind: StoreKind) throws {
        let context = try context(kind)
        let ada = context.insert("Manager", ["name": "Ada", "age": 30])
        let other = context.insert("Person", ["name": "Ada", "age": 40])
        let third = context.insert("Person", ["name": "Ada", "age": 50])
        try context.save()
        #expect(try ada.fetchedObjects(forKey: "namesakes") == [third, other])
        #expect(try ada.value(forKey: "namesakes") as? [ManagedObject] == [third, other])
        // Unsaved changes of the owner count, once it is asked anew.
        try ada.setValue("Eve", forKey: "name")
        try third.setValue("Eve", forKey: "name")
        #expect(try ada.fetchedObjects(forKey: "namesakes").count == 2)
        try context.refresh(ada, mergeChanges: true)
        #expect(try ada.fetchedObjects(forKey: "namesakes") == [third])
        try context.refresh(ada, mergeChanges: false)
        #expect(try ada.fetchedObjects(forKey: "namesakes") == [other])
        #expect(try ada.fetchedObjects(forKey: "eldest") == [third])
    }

    @Test(arguments: StoreKind.allCases)
    func pathsOfTheOwnerGoOverRelationships(kind: StoreKind) throws {
        let context = try context(kind)
        let boss = context.insert("Person")
        let staff = (0..<3).map { context.insert("Person", ["name": "\($0)", "boss": boss]) }
        try staff[0].setValue([staff[1]], forKey: "friends")
        try context.save()
        #expect(Set(try staff[0].fetchedObjects(forKey: "colleagues")) == [staff[0], staff[2]])
        #expect(try boss.fetchedObjects(forKey: "strange").isEmpty)
        let named = context.insert("Person", ["name": "strange"])
        let noted = context.insert("Person", ["name": "noted"])
        try context.refreshAllObjects()
        #expect(Set(try boss.fetchedObjects(forKey: "strange")) == [named, noted])
    }

    @Test func aWrongConditionIsRefusedWhenAContainerIsMade() throws {
        for (property, part) in [
            (
                FetchedPropertyDescription(
                    "a", destination: "Person", predicateFormat: "nothing == 1"), "nothing"
            ),
            (
                FetchedPropertyDescription("a", destination: "Person", predicateFormat: "name =="),
                "name =="
            ),
            (
                FetchedPropertyDescription(
                    "a", destination: "Person", predicateFormat: "name == $X"), "FETCH_SOURCE"
            ),
            (
                FetchedPropertyDescription(
                    "a", destination: "Person", sortKeys: [.init("friends")]), "friends"
            ),
        ] {
            let model = try ManagedObjectModel([Self.person([property])])
            let error = #expect(throws: ModelError.self) { try StoreKind.memory.container(model) }
            #expect(error?.mistakes.map(\.code) == [.invalidFetchedProperty])
            #expect(
                error?.description.contains(part) == true, "\(part): \(error?.description ?? "")")
        }
        let lost = #expect(throws: ModelError.self) {
            try ManagedObjectModel([
                Self.person([FetchedPropertyDescription("name", destination: "Nobody")])
            ])
        }
        #expect(lost?.mistakes.map(\.code) == [.unknownEntity, .duplicateName])
    }

    @Test func fetchedPropertiesAreNoPartOfTheVersion() throws {
        let with = try ManagedObjectModel(Self.model)
        let without = try ManagedObjectModel([
            Self.person([]), EntityDescription(name: "Manager", superentity: "Person"),
        ])
        #expect(with.versionChecksum == without.versionChecksum)
    }
}
