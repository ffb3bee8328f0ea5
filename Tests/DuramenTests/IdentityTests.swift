import Duramen
import DuramenMemory
import Foundation
import Testing

/// Object IDs, and the ways from an ID to an object.
@MainActor
@Suite(.serialized)
struct IdentityTests {
    let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        container = try makeContainer()
        context = container.viewContext
    }

    @Test func permanentIDsAreObtainedOnceAndKeepTheObjectNew() throws {
        let quakes = (0..<3).map { context.insertQuake("us\($0)") }
        let temporary = quakes[0].objectID
        try context.obtainPermanentIDs(for: quakes)
        let ids = quakes.map(\.objectID)
        #expect(ids.allSatisfy { !$0.isTemporaryID } && Set(ids).count == 3)
        #expect(quakes.allSatisfy(\.isInserted) && ids[0] != temporary)
        try context.obtainPermanentIDs(for: quakes)
        #expect(quakes.map(\.objectID) == ids)
        #expect(context.object(with: temporary) === quakes[0])
        try context.save()
        #expect(quakes.map(\.objectID) == ids)
    }

    @Test func relationshipsLeadToTheObjectUnderItsNewID() throws {
        let region = context.insertRegion("North")
        let quake = context.insertQuake("us1", in: region)
        try context.obtainPermanentIDs(for: [region, quake])
        #expect(quake.region === region && Array(region.quakes) == [quake])
        #expect(region.quakes.contains(quake.objectID))
        try context.save()
        #expect(quake.region === region && Array(region.quakes) == [quake])
    }

    @Test func registeredObjectReadsNothing() throws {
        try container.saveElsewhere { _ = $0.insertQuake("us1") }
        let id = try #require(try context.fetchObjectIDs(FetchRequest<Quake>()).first)
        #expect(context.registeredObject(for: id) == nil)
        let object = context.object(with: id)
        #expect(object.isFault && context.registeredObject(for: id) === object)
        #expect(try context.existingObject(with: id) === object && !object.isFault)
        #expect(try context.existingObject(with: id, as: Quake.self).code == "us1")
        #expect(throws: ContextError.self) {
            try context.existingObject(with: id, as: Region.self)
        }
    }

    @Test func anObjectThatWasDeletedExistsNoLonger() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let id = quake.objectID
        context.delete(quake)
        try context.save()
        #expect(throws: ContextError.self) { try context.existingObject(with: id) }
        #expect(context.registeredObject(for: id) == nil)
    }

    @Test func theIDOfAnotherStoreFindsNothingHere() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let other = try makeContainer()
        let elsewhere = other.viewContext.insertQuake("us1")
        try other.viewContext.save()
        #expect(quake.objectID.key == elsewhere.objectID.key)
        #expect(quake.objectID != elsewhere.objectID)
        #expect(context.registeredObject(for: elsewhere.objectID) == nil)
        #expect(throws: ContextError.self) {
            try context.existingObject(with: elsewhere.objectID)
        }
    }

    @Test func aURIComesBackThroughTheCoordinatorOfItsStoreOnly() throws {
        let quake = context.insertQuake("us1")
        let temporary = quake.objectID
        #expect(temporary.uriRepresentation.absoluteString.hasPrefix("x-coredata:///Quake/t"))
        try context.save()
        let uri = quake.objectID.uriRepresentation
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == quake.objectID)
        let other = try makeContainer().persistentStoreCoordinator
        #expect(other.managedObjectID(forURIRepresentation: uri) == nil)
        #expect(temporary != quake.objectID)
    }

    @Test func contextsAgreeOnIDsAndNotOnObjects() throws {
        let quake = context.insertQuake("us1")
        try context.save()
        let other = container.makeContext()
        let twin = try #require(try other.quake("us1"))
        #expect(twin !== quake && twin != quake && twin.objectID == quake.objectID)
    }

    @Test func editedObjectsStayAndCleanOnesGo() throws {
        try container.saveElsewhere { other in
            for number in 0..<10 { _ = other.insertQuake("us\(number)") }
        }
        for quake in try context.fetch(FetchRequest<Quake>().sorted(by: \.code).limit(3)) {
            quake.magnitude = 4
        }
        #expect(try context.fetch(FetchRequest<Quake>()).count == 10)
        #expect(context.registeredObjects.count == 3)
        try context.save()
        #expect(context.registeredObjects.isEmpty)
    }
}
