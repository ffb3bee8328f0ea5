import Duramen
import Foundation
import Testing

/// Saves that a context was not told of are merged by their IDs.
@MainActor
@Suite(.serialized)
struct MergingByHandTests {
    /// A store with a region of quakes a and b, and a context that knows all of it and is told of
    /// nothing.
    private struct Scene {
        let container: PersistentContainer
        let context: ManagedObjectContext
        let region: Region
        let quakes: [Quake]

        @MainActor init(_ kind: StoreKind) throws {
            container = try kind.container()
            try container.saveElsewhere { other in
                let region = other.insertRegion("Honshu")
                for code in ["a", "b"] { _ = other.insertQuake(code, magnitude: 1, in: region) }
            }
            context = container.makeContext(
                ContextOptions(automaticallyMergesChangesFromParent: false))
            quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
            region = try #require(quakes[0].region)
            #expect(region.quakes.map(\.code).sorted() == ["a", "b"])
        }

        /// Changes a, deletes b and inserts c, elsewhere.
        func changed() throws -> ChangedObjectIDs {
            let other = container.makeContext()
            let mine = try #require(try other.quake("a"))
            mine.magnitude = 5
            let doomed = try #require(try other.quake("b"))
            other.delete(doomed)
            let new = other.insertQuake("c", in: mine.region)
            try other.save()
            return ChangedObjectIDs(
                inserted: [new.objectID], updated: [mine.objectID], deleted: [doomed.objectID])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theIDsOfASaveBringItsChangesBesideEdits(kind: StoreKind) throws {
        let scene = try Scene(kind)
        let changes = try scene.changed()
        scene.context.processPendingChanges()
        #expect(scene.quakes[0].magnitude == 1 && !scene.quakes[1].isDeleted)
        scene.quakes[0].depth = 10
        scene.context.mergeChanges(fromContextDidSave: changes)
        #expect(scene.quakes[0].magnitude == 5 && scene.quakes[0].depth == 10)
        #expect(scene.quakes[1].isDeleted && scene.quakes[1].code == "b")
        #expect(scene.context.deletedObjects == [scene.quakes[1]])
        #expect(scene.region.quakes.map(\.code).sorted() == ["a", "c"])
        scene.context.mergeChanges(fromContextDidSave: changes)
        try scene.context.save()
        #expect(scene.context.deletedObjects.isEmpty)
    }

    @Test func aListShowsWhatWasMergedWithoutAnotherUnitOfWork() async throws {
        let scene = try Scene(.memory)
        let list = try FetchedResults(
            FetchRequest<Quake>().sorted(by: \.code), in: scene.context)
        let other = scene.container.makeContext()
        // What the first brings may be shown by the unit of work that fetched.
        for codes in ["abc", "abcd"] {
            let new = other.insertQuake(String(codes.suffix(1)))
            try other.save()
            scene.context.mergeChanges(
                fromContextDidSave: ChangedObjectIDs(inserted: [new.objectID]))
            #expect(await eventually { list.objects?.map(\.code).joined() == codes })
        }
    }

    @Test func whatBothEditedIsStillAConflict() throws {
        let scene = try Scene(.memory)
        let changes = try scene.changed()
        scene.quakes[0].magnitude = 3
        scene.context.mergeChanges(fromContextDidSave: changes)
        #expect(scene.quakes[0].magnitude == 3)
        #expect(throws: SaveConflictError.self) { try scene.context.save() }
        scene.context.rollback()
        #expect(scene.quakes[0].magnitude == 5)
    }

    @Test func referencesToWhatTheListsCallDeletedAreConflicts() throws {
        let scene = try Scene(.memory)
        let id = scene.region.objectID
        let new = scene.context.insertQuake("d", in: scene.region)
        try scene.container.saveElsewhere { other in
            other.delete(try other.existingObject(with: id))
        }
        scene.context.mergeChanges(fromContextDidSave: ChangedObjectIDs(deleted: [id]))
        #expect(throws: SaveConflictError.self) { try scene.context.save() }
        new.region = nil
        try scene.context.save()
    }

    @Test func aListThatIsWrongDoesNoHarm() throws {
        let scene = try Scene(.memory)
        scene.quakes[0].depth = 4
        scene.context.mergeChanges(
            fromContextDidSave: ChangedObjectIDs(
                inserted: [scene.quakes[0].objectID], deleted: [scene.quakes[1].objectID]))
        #expect(!scene.quakes[1].isDeleted)
        try scene.context.save()
    }

    @Test func editsOfInvalidatedObjectsAreDropped() throws {
        let scene = try Scene(.memory)
        _ = try scene.changed()
        scene.quakes[0].magnitude = 3
        scene.context.mergeChanges(
            fromContextDidSave: ChangedObjectIDs(invalidated: [scene.quakes[0].objectID]))
        #expect(scene.quakes[0].magnitude == 5 && !scene.context.hasChanges)
    }

    @Test func aListTravelsAsURIsAndReachesAWholeFamily() throws {
        let scene = try Scene(.sqlite)
        let grandchild = ManagedObjectContext(
            parent: ManagedObjectContext(parent: scene.context))
        let mine = try #require(try grandchild.quake("a"))
        let sent = try JSONEncoder().encode(try scene.changed())
        #expect(String(decoding: sent, as: UTF8.self).contains("coredata"))
        let received = try JSONDecoder().decode(ChangedObjectIDs.self, from: sent)
        ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: received, into: [grandchild, scene.context])
        #expect(mine.magnitude == 5 && scene.quakes[0].magnitude == 5)
    }

    @Test func backgroundContextsMergeOneAfterTheOther() async throws {
        let scene = try Scene(.memory)
        let options = ContextOptions(automaticallyMergesChangesFromParent: false)
        let backgrounds = (0..<2).map { _ in scene.container.newBackgroundContext(options) }
        let id = scene.quakes[0].objectID
        let keepers = backgrounds.map { _ in Pin() }
        for (background, keeper) in zip(backgrounds, keepers) {
            try await background.perform { keeper.hold(try $0.existingObject(with: id)) }
        }
        await scene.container.mergeChanges(
            fromRemoteContextSave: try scene.changed(), into: backgrounds)
        for background in backgrounds {
            #expect(await background.perform { $0.object(with: id, as: Quake.self).magnitude } == 5)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultReadsWhatItsUnitOfWorkSawOrTheNewestState(kind: StoreKind) throws {
        for (interval, expected) in [(Double.infinity, 1.0), (1e9, 1), (0, 5)] {
            let scene = try Scene(kind)
            let context = scene.container.makeContext()
            context.stalenessInterval = interval
            // This begins the unit of work.
            try context.object(with: scene.quakes[1].objectID).load()
            _ = try scene.changed()
            let quake = context.object(with: scene.quakes[0].objectID, as: Quake.self)
            #expect(quake.magnitude == expected)
        }
    }
}

/// Holds an object of a background context.
// Sound: used by that one only.
private final class Pin: @unchecked Sendable {
    private var object: ManagedObject?

    func hold(_ object: ManagedObject) { self.object = object }
}
