import StoreTestSupport
import Testing

@testable import Duramen

/// What leads where once batches, or somebody of whom nobody knows what they saved, were at work.
@MainActor
@Suite(.serialized)
struct BatchReferenceTests {
    /// More than a batch tells one by one.
    private static let many = 1_100

    private func danglingCount(_ container: PersistentContainer) throws -> Int {
        let context = container.makeContext()
        let known = Set(try context.fetchObjectIDs(FetchRequest<Region>()))
        return try context.fetch(FetchRequest<Quake>()).count { quake in
            quake.region.map { !known.contains($0.objectID) } ?? false
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveNoticesWhatABatchDeletedThatIsNotMergedYet(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let regions = (0..<Self.many).map { context.insertRegion("r\($0)") }
        let quake = context.insertQuake("a")
        let tag = context.insertTag("t")
        try context.save()
        let other = container.makeContext()
        try other.execute(BatchDeleteRequest(FetchRequest<Region>()))
        try other.execute(BatchDeleteRequest(FetchRequest<Tag>()))
        quake.region = regions[7]
        quake.tags.insert(tag)
        #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(try danglingCount(container) == 0)
        context.rollback()
        quake.depth = 1
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveNoticesWhatABatchInsertedIntoWhatItDeletes(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let region = context.insertRegion("r")
        try context.save()
        let id = region.objectID
        context.delete(region)
        context.processPendingChanges()
        var number = 0
        try container.makeContext().execute(
            BatchInsertRequest(Quake.self) { row in
                number += 1
                row[\.code] = "q\(number)"
                row[\.region] = id
                return number > Self.many
            })
        #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(try danglingCount(container) == 0)
        // Once it is merged the rule of the relationship, which cascades, knows them.
        context.processPendingChanges()
        try context.save()
        #expect(try danglingCount(container) == 0)
        #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func deleteRulesKnowWhatSomebodyInsertedUnknown(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.makeContext()
        let region = context.insertRegion("r")
        _ = context.insertQuake("a", in: region)
        try context.save()
        let id = region.objectID
        context.delete(region)
        context.processPendingChanges()
        context.automaticallyMergesChangesFromParent = false
        try container.saveElsewhere { other in
            _ = other.insertQuake(
                "b", in: try other.existingObject(with: id, as: Region.self))
        }
        context.automaticallyMergesChangesFromParent = true
        context.main.inbox.post(nil)
        context.processPendingChanges()
        try context.save()
        #expect(try danglingCount(container) == 0)
        #expect(try container.makeContext().count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func idsOfDeletedObjectsAreRefused(kind: StoreKind) throws {
        let container = try kind.container()
        let context = container.viewContext
        let region = context.insertRegion("r")
        let tag = context.insertTag("t")
        try context.save()
        let ids = (region.objectID, tag.objectID)
        try container.saveElsewhere { other in
            other.delete(try other.existingObject(with: ids.0, as: Region.self))
            other.delete(try other.existingObject(with: ids.1, as: Tag.self))
        }
        let rows: [[String: any Sendable]] = [
            ["code": "a", "region": ids.0], ["code": "a", "tags": [ids.1]],
        ]
        for row in rows {
            #expect(
                contextErrorCode {
                    try context.execute(BatchInsertRequest(Quake.self, objects: [row]))
                } == .invalidValue)
        }
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(
        arguments: StoreKind.allCases,
        [MergePolicy.mergeByPropertyObjectTrump, .fill, .overwrite])
    func objectsKeepTheirPlacesInOrderedToManys(kind: StoreKind, policy: MergePolicy) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Album", attributes: [.of(String.self, name: "name")],
                relationships: [
                    .toMany("songs", destination: "Song", inverse: "album", isOrdered: true)
                ]),
            EntityDescription(
                name: "Song", attributes: [.of(String.self, name: "name")],
                relationships: [.toOne("album", destination: "Album", inverse: "songs")],
                uniquenessConstraints: [["name"]]),
        ])
        let container = try kind.container(model, options: ContextOptions(mergePolicy: policy))
        let context = container.makeContext()
        func album(_ name: String, _ songs: [String]) throws -> ManagedObjectID {
            let album = context.insert("Album", ["name": name])
            let members = songs.map { context.insert("Song", ["name": $0]) }
            try album.setValue(members, forKey: "songs")
            try context.save()
            return album.objectID
        }
        let first = try album("first", ["d", "b", "a", "c"])
        let second = try album("second", ["y", "x"])
        func songs(_ id: ManagedObjectID) throws -> [String] {
            let fresh = container.makeContext()
            let album = try fresh.existingObject(with: id, as: ManagedObject.self)
            return try withExtendedLifetime(fresh) {
                try (album.value(forKey: "songs") as? [ManagedObject] ?? []).map {
                    try $0.value(forKey: "name") as? String ?? ""
                }
            }
        }
        func insert(_ rows: [[String: any Sendable]]) throws {
            try context.execute(
                BatchInsertRequest(ManagedObject.self, objects: rows).entityName("Song"))
        }
        try insert(["a", "b", "c", "d"].map { ["name": $0, "album.name": "first"] })
        #expect(try songs(first) == ["d", "b", "a", "c"])
        try context.execute(
            BatchUpdateRequest<ManagedObject>(entityName: "Song").where(
                FetchPredicate("album.name == 'first'")
            ).set("album", to: .constant(.objectID(first))))
        #expect(try songs(first) == ["d", "b", "a", "c"])
        // Without a place it comes before those that have one.
        try insert([["name": "b", "album.name": "second"]])
        #expect(try songs(first) == ["d", "a", "c"])
        #expect(try songs(second) == ["b", "y", "x"])
    }
}
