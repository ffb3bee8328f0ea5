import Duramen
import DuramenMacros
import DuramenMacrosTestSupport
import DuramenMemory
import DuramenSQLite
import Foundation
import Testing

/// A car of this module, below classes of two files of another one.
@Managed(renamedFrom: "Limousine")
final class Taxi: Car {
    @Attribute(originalName: "number", minimumLength: 1, pattern: "[0-9]+") var call: String
    var fare: Decimal?
    @Relationship var owner: Owner?
}

@Managed
final class Owner: ManagedObject {
    var name: String
    @Relationship(inverse: \Taxi.owner, deleteRule: .deny) var taxis: ToMany<Taxi>
}

/// Managed classes whose superclass is in another file, or in another module.
@MainActor struct ModuleInheritanceTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Vehicle.self, Garage.self, Car.self, Trip.self, Taxi.self, Owner.self)
    }

    private func container() throws -> PersistentContainer {
        try PersistentContainer.open(model: Self.model(), stores: [.memory()])
    }

    private func insertTaxi(_ context: ManagedObjectContext) -> Taxi {
        let taxi = Taxi(context: context)
        taxi.plate = "B-XY 1"
        taxi.call = "77"
        taxi.fare = 12
        taxi.garage = Garage(context: context)
        taxi.garage?.street = "Hafenstraße"
        taxi.owner = Owner(context: context)
        taxi.owner?.name = "Ada"
        let trip = Trip(context: context)
        trip.kilometres = 8
        taxi.trips.insert(trip)
        return taxi
    }

    @Test func inheritedPropertiesAreReadAndAskedForByAnyClass() throws {
        let context = try container().viewContext
        let taxi = insertTaxi(context)
        try context.save()
        #expect(taxi.wheels == 4)
        #expect(taxi.doors == 5)
        #expect(try context.fetch(FetchRequest<Taxi>().where { $0.plate == "B-XY 1" }) == [taxi])
        #expect(try context.fetch(FetchRequest<Car>().where { $0.doors == 5 }) == [taxi])
        #expect(try context.fetch(FetchRequest<Vehicle>().sorted(by: \.wheels)) == [taxi])
        #expect(taxi.garage.map { Array($0.vehicles) } == [taxi])
    }

    @Test func valuesHoldWhatIsInherited() async throws {
        let container = try container()
        let context = container.viewContext
        let taxi = insertTaxi(context)
        try context.save()
        let taxis = try await container.fetch(Taxi.Values.self)
        #expect(taxis == [taxi.values])
        #expect(taxis[0].call == "77")
        #expect(taxis[0].doors == 5)
        #expect(taxis[0].plate == "B-XY 1")
        #expect(taxis[0].trips == taxi.trips.objectIDs)
        #expect(taxis[0].garage == taxi.garage?.objectID)
        #expect(taxis[0].objectID == taxi.objectID)
        let vehicles = try await container.fetch(Vehicle.Values.self)
        #expect(vehicles == [taxis[0].superValues.superValues])
        let garages = try await container.fetch(Garage.Values.self)
        #expect(garages.map(\.vehicles) == [[taxi.objectID]])

        var changed = taxis[0]
        changed.plate = "B-XY 2"
        changed.trips = []
        try taxi.apply(changed)
        #expect(taxi.plate == "B-XY 2")
        #expect(taxi.trips.isEmpty)
        changed.plate = "B-XY 3"
        let copy = try Taxi(changed, context: context)
        #expect(copy.values.superValues.superValues.wheels == 4)
        try context.save()
    }

    @Test func valuesOfASubclassAreOneObjectOfJSON() throws {
        let context = try container().viewContext
        let taxi = insertTaxi(context)
        try context.save()
        let data = try JSONEncoder().encode(taxi.values)
        let object = try #require(
            JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "call", "doors", "fare", "garage", "objectID", "owner", "plate", "trips", "wheels",
            ])
        #expect(try JSONDecoder().decode(Taxi.Values.self, from: data) == taxi.values)
    }

    @Test func rulesOfEveryClassAreChecked() throws {
        let context = try container().viewContext
        let taxi = insertTaxi(context)
        taxi.plate = "123456789"
        taxi.wheels = -1
        taxi.call = "x"
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code.rawValue).sorted() == [1620, 1660, 1680])
        #expect(error.coreDataCode == 1560)
    }

    @Test func theModelOfClassesEqualsTheSameModelByHand() throws {
        let byHand = try ManagedObjectModel([
            EntityDescription(
                name: "Vehicle", isAbstract: true,
                attributes: [
                    AttributeDescription("plate", .string),
                    AttributeDescription("wheels", .integer64, default: .integer(4)),
                ], relationships: [.toOne("garage", destination: "Garage")],
                uniquenessConstraints: [["plate"]]),
            EntityDescription(
                name: "Garage", attributes: [AttributeDescription("street", .string)],
                relationships: [
                    .toMany("vehicles", destination: "Vehicle", inverse: "garage")
                ]),
            EntityDescription(
                name: "Car", superentity: "Vehicle",
                attributes: [
                    AttributeDescription("doors", .integer16, default: .integer(5)),
                    AttributeDescription("driver", .string, isOptional: true, isTransient: true),
                ], relationships: [.toMany("trips", destination: "Trip")]),
            EntityDescription(
                name: "Trip", attributes: [AttributeDescription("kilometres", .double)],
                relationships: [.toMany("cars", destination: "Car", inverse: "trips")]),
            EntityDescription(
                name: "Taxi", superentity: "Car",
                attributes: [
                    AttributeDescription("call", .string),
                    AttributeDescription("fare", .decimal, isOptional: true),
                ], relationships: [.toOne("owner", destination: "Owner")]),
            EntityDescription(
                name: "Owner", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany("taxis", destination: "Taxi", deleteRule: .deny, inverse: "owner")
                ]),
        ])
        let byClasses = try Self.model()
        #expect(byClasses.versionChecksum == byHand.versionChecksum)
        #expect(byClasses.entityVersionHashes == byHand.entityVersionHashes)
        let taxi = try #require(byClasses.entity(named: "Taxi"))
        #expect(taxi.renamingIdentifier == "Limousine")
        guard case .attribute(let call)? = taxi.property(named: "call") else {
            Issue.record("'call' is no attribute.")
            return
        }
        #expect(call.renamingIdentifier == "number")
        #expect(call.rules.minimumLength == 1)
        #expect(call.rules.pattern == "[0-9]+")
    }
}
