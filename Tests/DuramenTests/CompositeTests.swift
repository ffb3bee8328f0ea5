import Duramen
import Foundation
import Testing

/// Composite attributes of objects: as structs, by key, in fetches and saves, on every store.
@MainActor struct CompositeTests {
    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        try kind.container(Shock.model)
    }

    /// A shock that can be saved.
    private func insert(
        _ context: ManagedObjectContext, _ code: String = "a", latitude: Double = 1
    ) -> Shock {
        let shock = Shock(context: context)
        shock.code = code
        shock.epicentre = Location(latitude: latitude, longitude: 2)
        shock.origin = nil
        return shock
    }

    // MARK: - Structs

    @Test(arguments: StoreKind.allCases)
    func aStructIsSavedAndReadAsItWas(kind: StoreKind) throws {
        let container = try container(kind)
        let shock = Shock(context: container.viewContext)
        let location = Location(
            latitude: 48.2, longitude: -16.4, height: 0, grid: .init(square: "e\u{301}", zone: 33),
            status: .reviewed, names: ["Wien", ""])
        shock.epicentre = location
        shock.origin = location
        try container.viewContext.save()
        let other = container.makeContext()
        let same = try #require(try other.fetch(FetchRequest<Shock>()).first)
        #expect(same.epicentre == location && same.origin == location)
        same.origin = nil
        try other.save()
        #expect(same.origin == nil)
        let last = container.makeContext()
        defer { withExtendedLifetime((other, last)) {} }
        let third = try #require(
            try last.fetch(FetchRequest<Shock>().where { $0.origin == nil }).first)
        #expect(third.origin == nil && third.epicentre == location)
    }

    @Test func aNewObjectHasTheDefaultsOfItsElements() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = Shock(context: context)
        // The default of the square is one that the grid's own initial value has not.
        #expect(shock.epicentre.grid == .init(square: "-", zone: 0))
        #expect(shock.epicentre.status == .automatic && shock.epicentre.height == nil)
        #expect(try shock.value(forKey: "epicentre.latitude") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func settingOneElementChangesItsSlotOnly(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        let shock = insert(context)
        try context.save()
        try container.saveElsewhere { context in
            let same = try #require(try context.fetch(FetchRequest<Shock>()).first)
            same.epicentre.longitude = 30
        }
        shock.epicentre.latitude = 20
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        let conflict = try #require(error?.conflicts.first)
        #expect(conflict.mine?["epicentre.latitude"] == .double(20))
        #expect(conflict.stored?["epicentre.longitude"] == .double(30))
        // Each side's element is kept: none was written that had not changed.
        try context.refresh(shock, mergeChanges: true)
        try context.save()
        #expect(shock.epicentre.latitude == 20 && shock.epicentre.longitude == 30)
    }

    @Test func settingWhatIsThereAlreadyIsNoChange() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = insert(context)
        shock.origin = Location(latitude: -0.0, grid: .init(square: "u", zone: 1), names: ["a"])
        try context.save()
        shock.epicentre = shock.epicentre
        shock.origin = shock.origin
        shock.origin?.grid = .init(square: "u", zone: 1)
        #expect(!context.hasChanges && !shock.isUpdated)
        shock.origin?.names.append("b")
        #expect(shock.isUpdated && shock.origin?.names == ["a", "b"])
    }

    @Test func anElementThatIsNotANumberIsRefusedByItsPath() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = insert(context)
        shock.epicentre.latitude = .nan
        #expect(shock.epicentre.latitude == 1)
        let error = #expect(throws: ContextError.self) { try context.save() }
        #expect(
            error?.code == .invalidValue && error?.message.contains("epicentre.latitude") == true)
    }

    @Test func aFaultWithoutARowReadsAsTheInitialStruct() throws {
        let container = try container(.memory)
        let shock = insert(container.viewContext)
        try container.viewContext.save()
        let other = container.makeContext()
        defer { withExtendedLifetime(other) {} }
        let fault = try #require(other.object(with: shock.objectID) as? Shock)
        try container.saveElsewhere { context in
            for shock in try context.fetch(FetchRequest<Shock>()) { context.delete(shock) }
        }
        #expect(fault.epicentre == Location() && fault.origin == nil)
        #expect(fault.faultError != nil)
    }

    // MARK: - Validation

    @Test func aMandatoryCompositeNeedsItsMandatoryElements() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = Shock(context: context)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        // The optional grid has a value, by a default, so that its zone is missing.
        #expect(
            Set(error?.failures.map(\.property) ?? []) == [
                "epicentre.latitude", "epicentre.longitude", "epicentre.grid.zone",
                "origin.latitude", "origin.longitude", "origin.grid.zone",
            ])
        #expect(error?.failures.allSatisfy { $0.code == .missingMandatoryProperty } == true)
        shock.epicentre = Location()
        shock.origin = nil
        try context.save()
    }

    @Test func anOptionalCompositeNeedsThemOnlyIfItHasAValue() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = insert(context)
        shock.origin = nil
        try context.save()
        try shock.setValue(3.5, forKey: "origin.height")
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(
            error?.failures.map(\.property).sorted() == [
                "origin.latitude", "origin.longitude", "origin.names", "origin.status",
            ])
        try shock.setValue(nil, forKey: "origin.height")
        try context.save()
    }

    // MARK: - Keys

    @Test(arguments: StoreKind.allCases)
    func aCompositeIsADictionaryOfTheElementsThatHaveValues(kind: StoreKind) throws {
        let container = try container(kind)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = insert(context)
        try shock.setValue(
            [
                "latitude": 3, "longitude": 4.5, "grid": ["zone": 7, "square": "u"],
                "status": "reviewed",
                "names": ["a"], "height": nil,
            ] as [String: Any?], forKey: "origin")
        #expect(
            shock.origin
                == Location(
                    latitude: 3, longitude: 4.5, grid: .init(square: "u", zone: 7),
                    status: .reviewed, names: ["a"]))
        try context.save()
        let values = try #require(try shock.value(forKey: "origin") as? [String: Any])
        #expect(Set(values.keys) == ["latitude", "longitude", "grid", "status", "names"])
        #expect(values["latitude"] as? Double == 3 && values["names"] as? [String] == ["a"])
        #expect((values["grid"] as? [String: Any])?["zone"] as? Int64 == 7)
        #expect(try shock.value(forKey: "origin.grid.square") as? String == "u")
        // What a dictionary does not name has no value afterwards.
        try shock.setValue(["height": 1.5], forKey: "origin")
        #expect(try (shock.value(forKey: "origin") as? [String: Double]) == ["height": 1.5])
        try shock.setValue(nil, forKey: "origin")
        #expect(try shock.value(forKey: "origin") == nil && shock.origin == nil)
        try shock.setValue(Location(latitude: 9), forKey: "origin")
        #expect(shock.origin == Location(latitude: 9))
        try shock.setValue(Location.Grid(square: "w", zone: 2), forKey: "origin.grid")
        #expect(shock.origin?.grid == .init(square: "w", zone: 2))
        try context.save()
    }

    @Test func aDictionaryThatDoesNotFitChangesNothing() throws {
        let container = try container(.memory)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        let shock = insert(context)
        shock.origin = Location(latitude: 5)
        try context.save()
        let wrong: [(Any, ContextError.Code)] = [
            (["latitude": 1, "nowhere": 2], .unknownName), (["latitude": "north"], .invalidValue),
            (["latitude": 1, "longitude": Double.nan], .invalidValue),
            (["grid": ["zone": 1, "row": 2]], .unknownName), (["grid": 3], .invalidValue),
            (["names": [1]], .invalidValue), (7, .invalidValue),
        ]
        for (value, code) in wrong {
            let error = #expect(throws: ContextError.self) {
                try shock.setValue(value, forKey: "origin")
            }
            #expect(error?.code == code)
        }
        #expect(throws: ContextError.self) { try shock.setValue(1, forKey: "origin.nowhere") }
        #expect(throws: ContextError.self) { try shock.value(forKey: "origin.grid.nowhere") }
        #expect(shock.origin == Location(latitude: 5) && !context.hasChanges)
    }

    // MARK: - Fetches

    @Test(arguments: StoreKind.allCases, [true, false])
    func elementsTakePartInPredicatesAndOrders(kind: StoreKind, isSaved: Bool) throws {
        let container = try container(kind)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        for index in 0..<6 {
            let shock = insert(context, "\(index)", latitude: Double(index % 3))
            shock.origin = index < 2 ? Location(height: Double(-index)) : nil
        }
        if isSaved { try context.save() }
        func codes(_ request: FetchRequest<Shock>) throws -> [String] {
            try context.fetch(request).map(\.code)
        }
        let all = FetchRequest<Shock>()
        #expect(
            try codes(
                all.where { $0.epicentre.latitude >= 1 }
                    .sorted(by: \.epicentre.latitude, .descending).sorted(by: \.code))
                == ["2", "5", "1", "4"])
        #expect(try codes(all.where { $0.origin != nil }.sorted(by: \.code)) == ["0", "1"])
        #expect(try codes(all.where { $0.origin.height < 0 }) == ["1"])
        #expect(
            try codes(all.where { $0.origin == nil && $0.epicentre.latitude == 0 }) == ["3"])
        #expect(
            try codes(
                all.sorted(by: FetchSortDescriptor(Shock.self) { $0.origin.height })
                    .sorted(by: "epicentre.latitude").sorted(by: \.code).limit(5))
                == ["3", "4", "2", "5", "1"])
        #expect(try context.count(for: all.where(.keyPath("epicentre.grid", .equal, .null))) == 6)
        #expect(throws: StoreError.self) {
            try context.fetch(all.sorted(by: "origin"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConstraintOverAnElementConflicts(kind: StoreKind) throws {
        let container = try container(kind)
        defer { withExtendedLifetime(container) {} }
        let context = container.viewContext
        for _ in 0..<2 { insert(context, "same").epicentre.grid = .init(square: "u", zone: 1) }
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        guard case .uniqueness(let properties, _)? = error?.conflicts.first?.kind else {
            Issue.record("no conflict of uniqueness")
            return
        }
        #expect(properties == ["epicentre.grid.square", "code"])
    }

    @Test func aClassWhoseElementsDifferFromTheModelsIsRefused() throws {
        var description = Shock.entityDescription
        description.attributes[1].elements.removeLast()
        description.managedObjectClass = ManagedObjectClass(Shock.self)
        let model = try ManagedObjectModel([description])
        let error = #expect(throws: ModelError.self) { try StoreKind.memory.container(model) }
        #expect(error?.mistakes.map(\.code) == [.classMismatch])
    }
}
