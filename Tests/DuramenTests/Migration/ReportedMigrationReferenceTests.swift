import Duramen
import DuramenStore
import StoreTestSupport
import Testing

/// Reports about relationships whose destination becomes another entity. Names begin with the
/// number of the report.
@Suite struct ReportedMigrationReferenceTests {
    static let kinds = StoreKind.allCases

    /// Boxes that refer to things, and the things.
    ///
    /// - Parameters:
    ///   - target: The destination of the boxes' to-one, which has no inverse.
    ///   - owner: The entity that has the inverse of the boxes' other to-one.
    private func boxes(target: String, owner: String) throws -> ManagedObjectModel {
        func inverse(_ entity: String) -> [RelationshipDescription] {
            entity == owner ? [.toMany("boxes", destination: "Box", isOrdered: true)] : []
        }
        return try ManagedObjectModel([
            EntityDescription(
                name: "Box", attributes: [.text("label")],
                relationships: [
                    .toOne("target", destination: target),
                    .toOne("owner", destination: owner, inverse: "boxes"),
                ]),
            EntityDescription(
                name: "Thing", attributes: [.text("name")], relationships: inverse("Thing")),
            EntityDescription(
                name: "Part", superentity: "Thing", attributes: [.text("code")],
                relationships: inverse("Part")),
            EntityDescription(name: "Screw", superentity: "Part"),
            EntityDescription(name: "Other", superentity: "Thing"),
        ])
    }

    /// Two things of each entity, and boxes that refer to every one of `entities` and to none.
    private func filled(
        _ kind: StoreKind, _ model: ManagedObjectModel, referring entities: [String]
    ) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(model) { (context) throws in
            var things: [ManagedObject] = []
            for entity in ["Other", "Part", "Screw", "Thing"] {
                for number in 1...2 {
                    let thing = context.insert(entity, ["name": "\(entity) \(number)"])
                    if entities.contains(entity) { things.append(thing) }
                    try context.save()
                }
            }
            for (place, thing) in things.enumerated() {
                // The owner is another thing than the target, in an order against that of keys.
                let owner = things[(place + 1) % things.count]
                _ = context.insert("Box", ["label": "\(place)", "target": thing, "owner": owner])
                try context.save()
            }
            _ = context.insert("Box", ["label": "none"])
            try context.save()
        }
        return store
    }

    // Others 1, 2; parts 3, 4; screws 5, 6; things 7, 8.
    private let targets: [Int64: [String]] = [
        1: ["Part/3"], 2: ["Part/4"], 3: ["Screw/5"], 4: ["Screw/6"],
    ]
    private let owners: [Int64: [String]] = [
        1: ["Part/4"], 2: ["Screw/5"], 3: ["Screw/6"], 4: ["Part/3"],
    ]

    // MARK: - B19

    @Test(
        "B19: A relationship whose destination becomes the parent answers as before",
        arguments: kinds)
    func b19DestinationBecomesItsParent(kind: StoreKind) throws {
        let old = try boxes(target: "Part", owner: "Part")
        let store = try filled(kind, old, referring: ["Part", "Screw"])
        defer { store.cleanUp() }
        #expect(try store.openUnchanged(old) { try $0.ends("target", of: "Box") } == targets)

        let new = try boxes(target: "Thing", owner: "Thing")
        try store.open(new) { (context) throws in
            #expect(try context.ends("target", of: "Box") == targets)
            #expect(try context.ends("owner", of: "Box") == owners)
            #expect(
                try context.ends("boxes", of: "Thing")
                    == [3: ["Box/4"], 4: ["Box/1"], 5: ["Box/2"], 6: ["Box/3"]])
            // Over the reference, in the order of what it leads to.
            let sorted = try context.fetch(
                FetchRequest<ManagedObject>.all("Box").sorted(by: "target.name", .descending))
            #expect(sorted.map(\.objectID.key) == [4, 3, 2, 1, 5])
            // What only the parent's other children are is possible now.
            try context.object("Box", 5).setValue(context.object("Other", 2), forKey: "target")
            try context.object("Box", 1).setValue(context.object("Thing", 7), forKey: "target")
            try context.save()
        }
        var later = targets
        later[5] = ["Other/2"]
        later[1] = ["Thing/7"]
        try store.openUnchanged(new) { (context) throws in
            #expect(try context.ends("target", of: "Box") == later)
            #expect(try context.ends("owner", of: "Box") == owners)
            // The way back, which has no name, is kept too.
            context.delete(try context.object("Screw", 6))
            try context.save()
            later[4] = nil
            #expect(try context.ends("target", of: "Box") == later)
        }
    }

    @Test("B19: A destination that gets a new parent above it keeps its objects", arguments: kinds)
    func b19DestinationBecomesANewParent(kind: StoreKind) throws {
        func model(hasParent: Bool) throws -> ManagedObjectModel {
            let parent = EntityDescription(name: "Site", isAbstract: true)
            return try ManagedObjectModel(
                [
                    EntityDescription(
                        name: "Post", attributes: [.text("title")],
                        relationships: [
                            .toOne("place", destination: hasParent ? "Site" : "Blog")
                        ]),
                    EntityDescription(
                        name: "Blog", superentity: hasParent ? "Site" : nil,
                        attributes: [.text("url")]),
                ]
                    + (hasParent
                        ? [parent, EntityDescription(name: "Page", superentity: "Site")] : [])
            )
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(model(hasParent: false)) { (context) throws in
            let blog = context.insert("Blog", ["url": "a"])
            _ = context.insert("Post", ["title": "p", "place": blog])
            try context.save()
        }
        try store.open(model(hasParent: true)) { (context) throws in
            #expect(try context.ends("place", of: "Post") == [1: ["Blog/1"]])
            #expect(try context.values("url", of: "Blog") == [1: .text("a")])
            let page = context.insert("Page")
            let post = context.insert("Post", ["place": page])
            try context.save()
            #expect(
                try context.ends("place", of: "Post")
                    == [1: ["Blog/1"], post.objectID.key: ["Page/\(page.objectID.key)"]])
        }
    }

    // MARK: - B18

    @Test(
        "B18: A destination that becomes an unrelated entity is refused, and nothing is changed",
        arguments: kinds)
    func b18AnUnrelatedDestinationIsRefused(kind: StoreKind) throws {
        let old = try boxes(target: "Part", owner: "Part")
        let store = try filled(kind, old, referring: ["Part", "Screw"])
        defer { store.cleanUp() }
        let (before, metadata) = (try store.checksums(old), try store.metadata)
        let new = try boxes(target: "Other", owner: "Part")
        let error = try store.refusal(new)
        #expect(error.code == .notInferable)
        #expect(error.message.contains("Box.target: destination Part is Other now"))
        #expect(try store.checksums(old) == before)
        #expect(try store.metadata == metadata)
        #expect(try store.openUnchanged(old) { try $0.ends("target", of: "Box") } == targets)
    }

    @Test(
        "B18: A destination whose old entity goes loses its references, as the plan says",
        arguments: kinds)
    func b18AReplacedDestinationLosesItsReferences(kind: StoreKind) throws {
        func model(
            _ destination: String, _ attribute: AttributeDescription
        ) throws -> ManagedObjectModel {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Account", attributes: [.text("user")],
                    relationships: [.toOne("blog", destination: destination)]),
                EntityDescription(name: destination, attributes: [attribute]),
            ])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        let old = try model("OldBlog", .text("url"))
        try store.open(old) { (context) throws in
            _ = context.insert(
                "Account", ["user": "anna", "blog": context.insert("OldBlog", ["url": "a"])])
            try context.save()
        }
        let new = try model(
            "Place", AttributeDescription("number", .integer64, isOptional: true))
        let losses = try store.plan(new).losses
        #expect(losses.map(\.name) == ["Account.blog", "OldBlog"])
        let strict = try store.refusal(new) { $0.loss = .none }
        #expect(strict.code == .notInferable)
        #expect(strict.message.contains("Account.blog"))
        let kept = try store.openUnchanged(old) { try $0.ends("blog", of: "Account") }
        #expect(kept == [1: ["OldBlog/1"]])

        try store.open(new) { (context) throws in
            #expect(try context.values("user", of: "Account") == [1: .text("anna")])
            #expect(try context.ends("blog", of: "Account") == [:])
            #expect(try context.fetch(.all("Place")).isEmpty)
            let place = context.insert("Place", ["number": 2])
            try context.object("Account", 1).setValue(place, forKey: "blog")
            try context.save()
            #expect(
                try context.ends("blog", of: "Account")
                    == [1: ["Place/\(place.objectID.key)"]])
        }
    }

    @Test(
        "B18: A destination that becomes a child is kept where all references lead to that child",
        arguments: kinds)
    func b18ADestinationBecomesAChild(kind: StoreKind) throws {
        let old = try boxes(target: "Thing", owner: "Part")
        let store = try filled(kind, old, referring: ["Part", "Screw"])
        defer { store.cleanUp() }
        #expect(try store.openUnchanged(old) { try $0.ends("target", of: "Box") } == targets)
        try store.open(boxes(target: "Part", owner: "Part")) { (context) throws in
            #expect(try context.ends("target", of: "Box") == targets)
        }
    }

    @Test(
        "B18: A destination that becomes a child keeps no reference to others unasked",
        arguments: kinds)
    func b18ADestinationThatLosesOthersIsRefused(kind: StoreKind) throws {
        let old = try boxes(target: "Thing", owner: "Thing")
        let store = try filled(kind, old, referring: ["Part", "Other"])
        defer { store.cleanUp() }
        let before = try store.checksums(old)
        let error = try store.refusal(boxes(target: "Part", owner: "Thing")) { $0.loss = .none }
        #expect(error.message.contains("Box.target"))
        #expect(try store.checksums(old) == before)
    }
}
