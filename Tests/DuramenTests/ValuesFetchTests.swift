import Duramen
import Foundation
import Testing

/// Fetching values straight from rows, on every store.
@MainActor struct ValuesFetchTests {
    /// Forty quakes in three regions with tags, two of them without depth.
    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        let container = try kind.container()
        try container.saveElsewhere { context in
            let regions = ["Honshu", "Izu", "Kuril"].map { name in
                let region = Region(context: context)
                region.name = name
                return region
            }
            let tag = Tag(context: context)
            tag.name = "felt"
            for number in 0..<40 {
                let quake = Quake(context: context)
                quake.code = "q\(number)"
                quake.magnitude = Double(number * 7 % 40) / 4
                quake.depth = number < 2 ? nil : Double(number)
                quake.region = number % 4 == 3 ? nil : regions[number % 4]
                quake.status = number % 2 == 0 ? .automatic : .reviewed
                if number % 5 == 0 { quake.tags.insert(tag) }
            }
            let station = Station(context: context)
            station.callSign = "S1"
            station.region = regions[0]
            let ocean = OceanStation(context: context)
            ocean.callSign = "O1"
            ocean.waterDepth = 4000
            ocean.region = regions[0]
            station.backup = ocean
        }
        return container
    }

    nonisolated static let requests: [FetchRequest<Quake>] = [
        FetchRequest(),
        FetchRequest().where { $0.magnitude >= 4 && $0.status == .reviewed },
        FetchRequest().sorted(by: \.magnitude, .descending).limit(7).offset(3),
        FetchRequest().where { $0.region.name == "Izu" }.sorted(by: \.code),
        FetchRequest().where { $0.tags.any { $0.name == "felt" } }.sorted(by: "region.name").limit(
            5),
        FetchRequest().where { $0.depth == nil },
        FetchRequest().limit(0),
    ]

    @Test(arguments: StoreKind.allCases, requests.indices)
    func aFetchOfValuesGivesWhatAFetchOfObjectsDoes(kind: StoreKind, index: Int) async throws {
        let container = try container(kind)
        let request = Self.requests[index]
        let values = try await container.fetch(Quake.Values.self, request)
        let objects = try container.viewContext.fetch(request)
        #expect(values == objects.map { Quake.Values($0) })
        #expect(try container.fetchAndWait(Quake.Values.self, request) == values)
        if request.fetchLimit != 0 { #expect(!values.isEmpty) }
    }

    @Test(arguments: StoreKind.allCases)
    func aBatchIsNoLimit(kind: StoreKind) async throws {
        let container = try kind.container()
        try container.saveElsewhere { context in
            for number in 0..<1500 { Quake(context: context).code = "q\(number)" }
        }
        let request = FetchRequest<Quake>().sorted(by: \.code)
        let codes = (0..<1500).map { "q\($0)" }.sorted()
        #expect(try await container.fetch(Quake.Values.self, request).map(\.code) == codes)
        #expect(try container.fetchAndWait(request.select(\.code)) == codes)
    }

    @Test(arguments: StoreKind.allCases)
    func rowsOfSubentitiesGiveTheValuesOfTheSuperclass(kind: StoreKind) async throws {
        let container = try container(kind)
        let all = try await container.fetch(
            Station.Values.self, FetchRequest().sorted(by: \.callSign))
        #expect(all.map(\.callSign) == ["O1", "S1"])
        #expect(all.map(\.objectID.entityName) == ["OceanStation", "Station"])
        // The ID of a to-one names the destination's own entity.
        #expect(all[1].backup == all[0].objectID)
        var request = FetchRequest<Station>()
        request.includesSubentities = false
        #expect(try await container.fetch(Station.Values.self, request).map(\.callSign) == ["S1"])
        request = FetchRequest(entityName: "OceanStation")
        #expect(try await container.fetch(Station.Values.self, request).map(\.callSign) == ["O1"])
    }

    @Test func anEntityOfAnotherHierarchyIsRefused() async throws {
        let container = try container(.memory)
        let error = try await #require(throws: ContextError.self) {
            try await container.fetch(Station.Values.self, FetchRequest(entityName: "Quake"))
        }
        #expect(error.code == .invalidRequest)
        let unknown = try await #require(throws: ContextError.self) {
            try await container.fetch(Station.Values.self, FetchRequest(entityName: "Statoin"))
        }
        #expect(unknown.code == .unknownName)
    }

    @Test func aClassThatTheModelDoesNotKnowIsRefused() throws {
        let model = try ManagedObjectModel([EntityDescription(name: "Other")])
        let container = try StoreKind.memory.container(model)
        let error = try #require(throws: ContextError.self) {
            try container.fetchAndWait(Quake.Values.self)
        }
        #expect(error.code == .unknownName)
    }

    @Test func unsavedChangesTakeNoPart() async throws {
        let container = try container(.memory)
        let context = container.viewContext
        let quake = try context.fetch(FetchRequest<Quake>().limit(1))[0]
        quake.code = "changed"
        Quake(context: context).code = "new"
        let codes = try await container.fetch(Quake.Values.self).map(\.code)
        #expect(codes.count == 40)
        #expect(!codes.contains("changed"))
    }

    @Test(arguments: StoreKind.allCases)
    func selectedPropertiesComeAsTuples(kind: StoreKind) async throws {
        let container = try container(kind)
        let request = FetchRequest<Quake>().sorted(by: \.magnitude).limit(6)
        let values = try await container.fetch(Quake.Values.self, request)
        let tuples = try await container.fetch(
            request.select(\.objectID, \.code, \.depth, \.region, \.tags, \.status))
        #expect(tuples.count == 6)
        for (tuple, values) in zip(tuples, values) {
            let (id, code, depth, region, tags, status) = tuple
            #expect(id == values.objectID)
            #expect(code == values.code)
            #expect(depth == values.depth)
            #expect(region == values.region)
            #expect(tags == values.tags)
            #expect(status == values.status)
        }
        #expect(try container.fetchAndWait(request.select(\.objectID)) == values.map(\.objectID))
    }

    @Test func onlyStoredPropertiesAreSelected() throws {
        let container = try container(.memory)
        let error = try #require(throws: ContextError.self) {
            try container.fetchAndWait(FetchRequest<Quake>().select(\.code, \.entityNameOfObject))
        }
        #expect(error.code == .unknownName)
    }

    // MARK: - Rows that lack something

    /// The model of quakes, but without a mandatory code.
    private func lenientContainer(_ kind: StoreKind) throws -> PersistentContainer {
        let descriptions = [Quake.self, Region.self, Tag.self, Station.self, OceanStation.self].map
        {
            (type: ManagedObject.Type) in
            var description = type.entityDescription
            description.managedObjectClass = ManagedObjectClass(type)
            for index in description.attributes.indices {
                description.attributes[index].isOptional = true
            }
            return description
        }
        return try kind.container(ManagedObjectModel(descriptions))
    }

    @Test(arguments: StoreKind.allCases)
    func aRowWithoutAMandatoryValueIsAnErrorOrNil(kind: StoreKind) async throws {
        let container = try lenientContainer(kind)
        let context = container.viewContext
        let whole = Quake(context: context)
        whole.code = "whole"
        let lacking = Quake(context: context)
        try context.save()
        let error = try await #require(throws: ContextError.self) {
            try await container.fetch(Quake.Values.self)
        }
        #expect(error.code == .missingMandatoryValue)
        #expect(error.objectID == lacking.objectID)
        #expect(error.message.contains("'Quake.code'"))
        let values = try await container.fetch(Quake.Values?.self)
        #expect(values == [Quake.Values(whole), nil])
        #expect(try container.fetchAndWait(Quake.Values?.self) == values)
        let tuples = try #require(throws: ContextError.self) {
            try container.fetchAndWait(FetchRequest<Quake>().select(\.magnitude, \.code))
        }
        #expect(tuples.code == .missingMandatoryValue)
        #expect(try container.fetchAndWait(FetchRequest<Quake>().select(\.magnitude)) == [0, 0])
        #expect(Quake.Values(exactly: whole) == Quake.Values(whole))
        #expect(Quake.Values(exactly: lacking) == nil)
        #expect(Quake.Values(lacking).code == "")
    }

    @Test(arguments: StoreKind.allCases)
    func aStoredValueThatIsNoneOfItsTypeIsAnErrorOrNil(kind: StoreKind) async throws {
        let container = try kind.container()
        let context = container.viewContext
        let quake = Quake(context: context)
        quake.code = "q"
        try quake.setValue("guessed", forKey: "status")
        try context.save()
        let error = try await #require(throws: ContextError.self) {
            try await container.fetch(Quake.Values.self)
        }
        #expect(error.code == .invalidValue)
        #expect(error.message.contains("'Quake.status'"))
        #expect(try await container.fetch(Quake.Values?.self) == [nil])
        #expect(Quake.Values(exactly: quake) == nil)
        #expect(try container.fetchAndWait(FetchRequest<Quake>().select(\.code)) == ["q"])
    }

    // MARK: - Cancelling

    @Test func aRaisedFlagEndsTheFetch() async throws {
        let container = try container(.memory)
        let flag = CancellationFlag()
        flag.cancel()
        var raised = FetchRequest<Quake>()
        raised.cancellation = flag
        let request = raised
        let error = try await #require(throws: StoreError.self) {
            try await container.fetch(Quake.Values.self, request)
        }
        #expect(error.code == .cancelled)
    }

    @Test func cancellingTheTaskEndsTheFetch() async throws {
        let container = try container(.memory)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.fetch(Quake.Values.self)
        }
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}

extension Quake {
    fileprivate var entityNameOfObject: String { entity.name }
}
