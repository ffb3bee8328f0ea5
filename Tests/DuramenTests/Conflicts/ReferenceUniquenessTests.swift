import Duramen
import Testing

/// Uniqueness constraints that name to-ones: saves, policies, children and batches.
@Suite struct ReferenceUniquenessTests {
    /// Halls of one name each, seats of one row in each hall.
    private static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Hall", attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("seats", destination: "Seat", inverse: "hall")],
                    uniquenessConstraints: [["name"]]),
                EntityDescription(
                    name: "Seat",
                    attributes: [
                        AttributeDescription("row", .integer32),
                        AttributeDescription("note", .string, isOptional: true),
                    ],
                    relationships: [.toOne("hall", destination: "Hall")],
                    uniquenessConstraints: [["hall", "row"]]),
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    /// A container with the halls "a", which has a seat of row 1, and "b", with one of row 2.
    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        let container = try kind.container(Self.model)
        let context = container.makeContext()
        for (place, name) in ["a", "b"].enumerated() {
            let hall = context.insert("Hall", ["name": name])
            _ = context.insert("Seat", ["row": Int32(place + 1), "note": "old", "hall": hall])
        }
        try context.save()
        return container
    }

    private func hall(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        let request = FetchRequest<ManagedObject>(entityName: "Hall")
            .where(try FetchPredicate("name == %@", name))
        return try #require(try context.fetch(request).first)
    }

    private func seats(of hall: ManagedObject) throws -> [ManagedObject] {
        try #require(try hall.value(forKey: "seats") as? [ManagedObject])
    }

    /// Each hall with the rows and notes of its seats, as they are stored.
    private func stored(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        return try context.fetch(FetchRequest<ManagedObject>.all("Hall")).map { hall in
            let seats = try seats(of: hall).map { seat in
                "\(try seat.value(forKey: "row") ?? "-")\(try seat.value(forKey: "note") ?? "-")"
            }
            return
                "\(try hall.value(forKey: "name") ?? "-"): \(seats.sorted().joined(separator: " "))"
        }.sorted()
    }

    @Test(arguments: StoreKind.allCases)
    func aTakenPlaceIsAConflictThatNamesBothProperties(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let a = try hall("a", context)
        let old = try #require(try seats(of: a).first)
        let new = context.insert("Seat", ["row": Int32(1), "hall": a])
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        let conflict = try #require(error?.conflicts.first)
        #expect(error?.conflicts.count == 1 && conflict.objectID == new.objectID)
        #expect(conflict.kind == .uniqueness(properties: ["hall", "row"], with: old.objectID))
        try new.setValue(Int32(2), forKey: "row")
        try context.save()
        #expect(try stored(container) == ["a: 1old 2-", "b: 2old"])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (MergePolicy.mergeByPropertyStoreTrump, "1old"), (.mergeByPropertyObjectTrump, "1new"),
            (.overwrite, "1new"), (.fill, "1new"), (.rollback, "1old"),
        ])
    func aNewObjectInATakenPlaceFolds(kind: StoreKind, expected: (MergePolicy, String)) throws {
        let container = try container(kind)
        let context = container.makeContext(ContextOptions(mergePolicy: expected.0))
        let a = try hall("a", context)
        let old = try #require(try seats(of: a).first).objectID
        _ = context.insert("Seat", ["row": Int32(1), "note": "new", "hall": a])
        try context.save()
        #expect(try seats(of: a).map(\.objectID) == [old])
        #expect(try stored(container) == ["a: \(expected.1)", "b: 2old"])
    }

    @Test(arguments: StoreKind.allCases)
    func whatFollowsAFoldedOwnerFoldsToo(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let twin = context.insert("Hall", ["name": "a"])
        for row in [1, 7] as [Int32] {
            _ = context.insert("Seat", ["row": row, "note": "new", "hall": twin])
        }
        try context.save()
        #expect(try stored(container) == ["a: 1new 7new", "b: 2old"])
        #expect(try seats(of: hall("a", context)).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aDestinationOfTheLastSaveIsTheSameAsAStoredOne(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let c = context.insert("Hall", ["name": "c"])
        _ = context.insert("Seat", ["row": Int32(1), "note": "first", "hall": c])
        try context.save()
        _ = context.insert("Seat", ["row": Int32(1), "note": "second", "hall": c])
        try context.save()
        #expect(try stored(container) == ["a: 1old", "b: 2old", "c: 1second"])
    }

    @Test(
        arguments: StoreKind.allCases,
        [(MergePolicy.mergeByPropertyStoreTrump, "moved"), (.rollback, "old")])
    func aStoredObjectGivesThePlaceBackThatItTook(
        kind: StoreKind, expected: (MergePolicy, String)
    ) throws {
        let container = try container(kind)
        let context = container.makeContext(ContextOptions(mergePolicy: expected.0))
        let (a, b) = (try hall("a", context), try hall("b", context))
        let seat = try #require(try seats(of: b).first)
        try seat.setValue(a, forKey: "hall")
        try seat.setValue(Int32(1), forKey: "row")
        try seat.setValue("moved", forKey: "note")
        try context.save()
        #expect(try seats(of: b) == [seat])
        #expect(try seats(of: a).count == 1)
        #expect(try stored(container) == ["a: 1old", "b: 2\(expected.1)"])
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func theHigherHandUnitesTwoStoredObjects(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        let (a, b) = (try hall("a", context), try hall("b", context))
        let seat = try #require(try seats(of: b).first)
        try seat.setValue(a, forKey: "hall")
        try seat.setValue(Int32(1), forKey: "row")
        try context.save()
        #expect(try seats(of: a) == [seat])
        #expect(try stored(container) == ["a: 1old", "b: "])
    }

    @Test(arguments: StoreKind.allCases)
    func twoSeatsSwapTheirHalls(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let (a, b) = (try hall("a", context), try hall("b", context))
        let (first, second) = (try seats(of: a)[0], try seats(of: b)[0])
        try second.setValue(Int32(1), forKey: "row")
        try second.setValue("second", forKey: "note")
        try context.save()
        try first.setValue(b, forKey: "hall")
        try second.setValue(a, forKey: "hall")
        try context.save()
        #expect(try stored(container) == ["a: 1second", "b: 1old"])
    }

    @Test(arguments: StoreKind.allCases)
    func aChildLooksForPlacesBeforeItSaves(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let pending = context.insert("Hall", ["name": "c"])
        let taken = context.insert("Seat", ["row": Int32(1), "hall": pending])
        let child = ManagedObjectContext(parent: context)
        let here = try child.existingObject(with: pending.objectID)
        let new = child.insert("Seat", ["row": Int32(1), "hall": here])
        let old = try #require(try seats(of: hall("a", child)).first)
        let second = child.insert("Seat", ["row": Int32(1), "hall": try hall("a", child)])
        let conflicts = try child.uniquenessConflicts()
        #expect(Set(conflicts.map(\.objectID)) == [new.objectID, second.objectID])
        #expect(
            Set(conflicts.map(\.kind))
                == Set(
                    [taken, old].map {
                        SaveConflict.Kind.uniqueness(
                            properties: ["hall", "row"], with: $0.objectID)
                    }))
        try new.setValue(nil, forKey: "hall")
        try second.setValue(Int32(2), forKey: "row")
        #expect(try child.uniquenessConflicts().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func batchesKeepPlaces(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.makeContext()
        let (a, b) = (try hall("a", context).objectID, try hall("b", context).objectID)
        let all = FetchRequest<ManagedObject>.all("Seat")
        let error = #expect(throws: StoreError.self) {
            try context.execute(
                BatchUpdateRequest<ManagedObject>(entityName: "Seat")
                    .set("row", to: .constant(.integer(1))).set("hall", to: .constant(.objectID(a)))
            )
        }
        #expect(error?.code == .uniquenessViolated)
        #expect(try stored(container) == ["a: 1old", "b: 2old"])
        let rows: [[String: any Sendable]] = [
            ["row": Int32(1), "note": "new", "hall": a],
            ["row": Int32(1), "note": "new", "hall": b],
            ["row": Int32(1), "note": "newer", "hall": b],
            ["row": Int32(1), "note": "none"],
            ["row": Int32(1), "note": "none"],
        ]
        let upserting = container.makeContext(
            ContextOptions(mergePolicy: .mergeByPropertyObjectTrump))
        try upserting.execute(
            BatchInsertRequest<ManagedObject>(objects: rows).entityName("Seat"))
        #expect(try stored(container) == ["a: 1new", "b: 1newer 2old"])
        #expect(try upserting.count(for: all) == 5)
    }
}
