import Duramen
import Testing

/// What deleting an object does to the objects around it.
@MainActor
@Suite(.serialized)
struct DeletionTests {
    @Test func aNewObjectDeletedBeforeItsSaveTakesNoPartAnyMore() throws {
        let context = try makeContainer().viewContext
        let region = context.insertRegion("Honshu")
        let quake = context.insertQuake("us1", magnitude: 5)
        context.delete(quake)
        context.processPendingChanges()
        quake.region = region
        quake.magnitude = 6
        #expect(region.quakes.isEmpty && quake.magnitude == 5)
        try context.save()
        #expect(region.quakes.isEmpty)
        #expect(try context.count(for: FetchRequest<Quake>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func nullifyClearsThePointersBack(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner")
        let items = (0..<3).map { _ in context.insert("Item", ["owner": owner]) }
        try context.save()
        context.delete(owner)
        context.processPendingChanges()
        #expect(try items.allSatisfy { try $0.value(forKey: "owner") == nil && !$0.isDeleted })
        try context.save()
        context.reset()
        #expect(try context.count(for: .all("Owner")) == 0)
        #expect(try context.fetch(.all("Item")).count { try $0.value(forKey: "owner") == nil } == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func nullifyOfAMandatoryToOneFailsTheSave(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner")
        let strict = context.insert("Strict", ["boss": owner])
        try context.save()
        context.delete(owner)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
        #expect(error.failures.map(\.objectID) == [strict.objectID])
        #expect(error.failures.map(\.property) == ["boss"])
        context.delete(strict)
        try context.save()
        #expect(try context.count(for: .all("Strict")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aMandatoryToManyThatIsEmptiedFailsTheSave(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let club = context.insert("Club")
        let member = context.insert("Member", ["club": club])
        try context.save()
        try member.setValue(nil, forKey: "club")
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.tooFewObjects])
        #expect(error.failures.map(\.objectID) == [club.objectID])
        context.delete(club)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func cascadeFollowsACircleAndEnds(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let nodes = (0..<5).map { _ in context.insert("Node") }
        for (number, node) in nodes.enumerated() {
            try node.setValue(nodes[(number + 1) % 5], forKey: "next")
        }
        let bystander = context.insert("Node")
        try context.save()
        context.delete(nodes[2])
        context.processPendingChanges()
        #expect(context.deletedObjects == Set(nodes) && !bystander.isDeleted)
        try context.save()
        #expect(try context.fetch(.all("Node")) == [bystander])
    }

    @Test(arguments: StoreKind.allCases)
    func cascadeEndsADeepChainWithoutRecursion(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        var first: ManagedObject?
        for _ in 0..<20_000 { first = context.insert("Node", ["next": first]) }
        try context.save()
        context.reset()
        let head = try context.fetch(.all("Node").where(.keyPath("previous", .equal, .null)))
        #expect(head.count == 1)
        context.delete(try #require(head.first))
        try context.save()
        #expect(try context.count(for: .all("Node")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func cascadeReachesManyChildren(kind: StoreKind) throws {
        let container = try kind.container(Family.model)
        try container.saveElsewhere { other in
            let parent = other.insert("Node")
            for _ in 0..<20_000 { _ = other.insert("Node", ["parent": parent]) }
        }
        let context = container.viewContext
        let roots = try context.fetch(.all("Node").where(.keyPath("parent", .equal, .null)))
        let before = container.persistentStoreCoordinator.faultCount
        context.delete(try #require(roots.first))
        context.processPendingChanges()
        #expect(context.deletedObjects.count == 20_001)
        // In groups, not one by one: values and two to-manys of 20 000 objects.
        #expect(container.persistentStoreCoordinator.faultCount - before < 400)
        try context.save()
        #expect(try context.count(for: .all("Node")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func denyFailsWhileADestinationRemains(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let (owner, other) = (context.insert("Owner"), context.insert("Owner"))
        let item = context.insert("Item", ["guardian": owner])
        try context.save()
        context.delete(owner)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.relationshipDeniedDelete])
        #expect(error.failures.map(\.objectID) == [owner.objectID])
        #expect(error.failures.map(\.property) == ["guarded"])
        #expect(owner.isDeleted && !item.isDeleted)
        // Moved away, it no longer stands in the way.
        try item.setValue(other, forKey: "guardian")
        try context.save()
        #expect(try context.fetch(.all("Owner")) == [other])
        #expect(try item.value(forKey: "guardian") as? ManagedObject === other)
    }

    @Test(arguments: StoreKind.allCases)
    func denyLetsThroughWhatIsDeletedWithItsDestinations(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner")
        // Owned and guarded: the cascade deletes what the other rule protects.
        let item = context.insert("Item", ["guardian": owner, "master": owner])
        try context.save()
        context.delete(owner)
        context.processPendingChanges()
        #expect(item.isDeleted)
        try context.save()
        #expect(try context.count(for: .all("Item")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeniedCascadeFailsWholeAndRollsBack(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let parent = context.insert("Node")
        let child = context.insert("Node", ["parent": parent])
        let pin = context.insert("Pin", ["node": child])
        try context.save()
        context.delete(parent)
        #expect(throws: ValidationError.self) { try context.save() }
        #expect(child.isDeleted && parent.isDeleted)
        context.rollback()
        #expect(!child.isDeleted && !parent.isDeleted && !context.hasChanges)
        #expect(try child.value(forKey: "parent") as? ManagedObject === parent)
        #expect(try pin.value(forKey: "node") as? ManagedObject === child)
        try context.save()
        #expect(try context.count(for: .all("Node")) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func noActionLeavesADanglingReferenceThatFailsWhenRead(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner", ["name": "gone"])
        let item = context.insert("Item", ["keeper": owner])
        try context.save()
        context.delete(owner)
        try context.save()
        let dangling = try #require(try item.value(forKey: "keeper") as? ManagedObject)
        #expect(dangling.isFault)
        #expect(throws: ContextError.self) { try dangling.load() }
        #expect(throws: ContextError.self) { try dangling.value(forKey: "name") }
        try item.setValue(nil, forKey: "keeper")
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func noActionTowardsAnUnsavedObjectStoresNoTemporaryID(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner")
        let item = context.insert("Item", ["keeper": owner])
        context.delete(owner)
        try context.save()
        context.reset()
        let again = try #require(try context.fetch(.all("Item")).first)
        #expect(try again.value(forKey: "keeper") == nil)
        #expect(item !== again)
    }

    @Test func deletingUnsavedObjectsAppliesTheirRulesAndReachesNoStore() throws {
        let context = try StoreKind.memory.container(Family.model).viewContext
        let owner = context.insert("Owner")
        let owned = context.insert("Item", ["master": owner])
        let item = context.insert("Item", ["owner": owner])
        context.delete(owner)
        context.processPendingChanges()
        #expect(context.insertedObjects == [item] && context.deletedObjects.isEmpty)
        #expect(!owned.isInserted && !owner.isInserted)
        #expect(try item.value(forKey: "owner") == nil)
        context.delete(item)
        context.processPendingChanges()
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.count(for: .all("Item")) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aNewMemberThatIsDeletedAfterItsOwnerIsForgotten(kind: StoreKind) throws {
        let parent = try kind.container(Music.model).viewContext
        let saved = Playlist(context: parent)
        let child = ManagedObjectContext(parent: parent)
        let playlist = try child.existingObject(with: saved.objectID, as: Playlist.self)
        let song = child.insertSongs("a")[0]
        playlist.songs.append(song)
        child.delete(playlist)
        child.processPendingChanges()
        child.delete(song)
        child.processPendingChanges()
        #expect(playlist.songs.isEmpty)
        try child.save()
        #expect(!parent.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedObjectThatIsRefreshedIsStillDeletedInTheStore(kind: StoreKind) throws {
        let context = try kind.container(Family.model).viewContext
        let owner = context.insert("Owner")
        try context.save()
        context.delete(owner)
        try context.refresh(owner, mergeChanges: false)
        let wasDeleted = owner.isDeleted
        try context.save()
        context.reset()
        #expect(try context.count(for: .all("Owner")) == (wasDeleted ? 0 : 1))
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedObjectLeavesItsManyToManyPairs(kind: StoreKind) throws {
        let context = try kind.container().viewContext
        let tag = context.insertTag("felt")
        let quakes = (0..<3).map { context.insertQuake("us\($0)") }
        for quake in quakes { quake.tags.insert(tag) }
        try context.save()
        context.delete(quakes[1])
        context.processPendingChanges()
        #expect(Set(tag.quakes) == [quakes[0], quakes[2]])
        try context.save()
        context.reset()
        #expect(try context.fetch(FetchRequest<Tag>()).first?.quakes.count == 2)
    }
}
