import Duramen
import DuramenTestKit
import Testing

/// A save that fails leaves the context as it was, whatever failed.
@Suite struct FailedSaveTests {
    private static let codes: [StoreError.Code] = [
        .folderMissing, .storeMissing, .permissionDenied, .foreignFile, .damagedFile, .newerFormat,
        .incompatibleModel, .diskFull, .storeBusy, .storeFileMoved, .snapshotExpired,
        .usedAfterFork, .io, .closed, .readOnly, .unsupported, .cancelled, .readersExhausted,
        .invalidRequest, .tooLarge, .unknownOutcome,
    ]
    @Test(
        "Whatever call of a save fails with whatever error, the changes are kept and can be saved",
        arguments: [StoreCall.allocateKeys, .snapshot, .rows, .destinations, .save],
        StoreKind.allCases)
    func theChangesAreKept(call: StoreCall, kind: StoreKind) throws {
        var failures = 0
        for code in Self.codes {
            var number = 1
            while try fail(call, number, code, kind) {
                number += 1
                failures += 1
            }
        }
        #expect(failures >= Self.codes.count, "a save makes no such call")
    }

    /// - Returns: Whether the save made so many calls of the kind.
    private func fail(
        _ call: StoreCall, _ number: Int, _ code: StoreError.Code, _ kind: StoreKind
    ) throws -> Bool {
        let label = Comment(rawValue: "\(call.rawValue) \(number), \(code.rawValue), \(kind)")
        let plan = FaultPlan()
        let container = try kind.container(plan: plan)
        let context = try edited(container)
        plan.fail(call, at: number, with: code)
        do {
            try context.save()
            if plan.clear() == 1 { return false }
            // The store ended the snapshot, so another one was taken; or it did not want to give so
            // many rows at once, and was asked for fewer.
            let isFewer = call == .rows && code == .tooLarge
            try #require(code == .snapshotExpired || isFewer, label)
        } catch let error as StoreError {
            // A lease of keys that may have been written is no save that may have been.
            let isLease = call == .allocateKeys && code == .unknownOutcome
            try #require(error.code == (isLease ? .io : code), label)
            try #require(context.hasChanges, label)
            let isUnknown = call == .save && code == .unknownOutcome
            try #require(context.hasSaveOfUnknownOutcome == isUnknown, label)
            try context.save()
        }
        try #require(!context.hasChanges, label)
        let stored = try contents(container.makeContext())
        try #require(stored == Self.expected, label)
        let mine = try contents(context)
        try #require(mine == Self.expected, label)
        try container.close()
        return true
    }

    /// A context with changes of every kind, for which a save has to read and to allocate.
    private func edited(_ container: PersistentContainer) throws -> ManagedObjectContext {
        let first = container.makeContext()
        let region = first.insertRegion("doomed")
        let tag = first.insertTag("felt")
        for code in ["a", "b"] {
            first.insertQuake(code, magnitude: 1, in: region).tags.insert(tag)
        }
        _ = first.insertQuake("c", magnitude: 1)
        _ = first.insertTag("other")
        try first.save()
        let context = container.makeContext()
        let quake = try #require(try context.quake("c"))
        quake.magnitude = 2
        let tags = try context.fetch(FetchRequest<Tag>().sorted(by: \.name))
        quake.tags.insert(tags[0])
        quake.region = context.insertRegion("new")
        // Ends the use of the snapshot, so that the save takes another one.
        try context.refresh(tags[1], mergeChanges: false)
        // Its quakes go with it, which only the store knows.
        context.delete(context.object(with: region.objectID))
        return context
    }

    private static let expected = ["c 2.0 new felt", "new: c", "felt: c", "other: "]

    private func contents(_ context: ManagedObjectContext) throws -> [String] {
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code)).map { quake in
            let tags = quake.tags.map(\.name).joined(separator: ",")
            return "\(quake.code) \(quake.magnitude) \(quake.region?.name ?? "-") \(tags)"
        }
        let regions = try context.fetch(FetchRequest<Region>()).map {
            "\($0.name): \($0.quakes.map(\.code).joined(separator: ","))"
        }
        let tags = try context.fetch(FetchRequest<Tag>().sorted(by: \.name)).map {
            "\($0.name): \($0.quakes.map(\.code).joined(separator: ","))"
        }
        return quakes + regions + tags
    }

    @Test(
        "Finding out what became of a save may fail too, at every call",
        arguments: [StoreCall.generation, .snapshot, .rows, .open])
    func findingOutMayFail(call: StoreCall) throws {
        for code in Self.codes where code != .snapshotExpired {
            // Whoever is refused many rows at once asks for fewer.
            if call == .rows, code == .tooLarge { continue }
            let plan = FaultPlan()
            let container = try StoreKind.sqlite.container(plan: plan)
            let context = try edited(container)
            plan.fail(.save, with: .unknownOutcome, .after)
            #expect(throws: StoreError.self) { try context.save() }
            plan.fail(call, with: code)
            #expect(throws: StoreError.self) { try context.save() }
            try #require(plan.clear() == 0)
            try #require(context.hasChanges)
            try #require(context.hasSaveOfUnknownOutcome)
            try context.save()
            let stored = try contents(container.makeContext())
            try #require(stored == Self.expected)
            try #require(plan.count(of: .save) == 2)
            try container.close()
        }
    }
}
