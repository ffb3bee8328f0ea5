import Duramen
import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@MainActor struct ImportChunkTests {
    /// Books of as many authors as a fifth of them.
    private static func feed(_ count: Int) -> String {
        let books = (0..<count).map { number in
            #"{"isbn": "\#(number)", "title": "t\#(number)", "author": {"name": "a\#(number % (count / 5))"}}"#
        }
        return "[" + books.joined(separator: ",\n") + "]"
    }

    @Test(arguments: StoreKind.allCases, [500, 2_600])
    func roundTripsGrowWithTheChunksAlone(kind: StoreKind, count: Int) throws {
        let container = try kind.container(ImportModel.model)
        let context = container.viewContext
        let most = 2 + 2 * ((count + 499) / 500)
        let report = try context.expectRoundTrips(atMost: most) {
            try context.importJSON(Self.feed(count))
        }
        #expect(report.inserted == count + count / 5)
        let second = try context.expectRoundTrips(atMost: most) {
            try context.importJSON(Self.feed(count))
        }
        #expect(second.unchanged >= count && second.inserted == 0 && second.updated == 0)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aChunkIsOneTransactionOfTheHistory(kind: StoreKind) throws {
        var description = kind.description
        description.keepsHistory = true
        let container = try PersistentContainer.open(
            model: ImportModel.model, stores: [description])
        let context = container.viewContext
        context.transactionAuthor = "feed"
        var options = ImportOptions()
        options.chunkSize = 40
        _ = try context.importJSON(Self.feed(100), options: options)
        func transactions() throws -> Int {
            try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
                .transactions
                .count { $0.author == "feed" }
        }
        #expect(try transactions() == 3)
        _ = try context.importJSON(Self.feed(100), options: options)
        #expect(try transactions() == 3)
    }

    @Test func progressIsReportedAndTheImportGoesOnWhereItEnded() throws {
        let container = try StoreKind.sqlite.container(ImportModel.model)
        let context = container.viewContext
        let flag = CancellationFlag()
        let seen = Locked<[Int]>([])
        var options = ImportOptions()
        options.chunkSize = 30
        options.cancellation = flag
        options.progress = { progress in
            seen.withLock { $0.append(progress.report.position.elementCount) }
            if progress.report.elementCount == 60 { flag.cancel() }
        }
        let error = try #require(throws: ImportError.self) {
            _ = try context.importJSON(Self.feed(100), options: options)
        }
        #expect(error.code == .cancelled && seen.withLock { $0 } == [30, 60])
        #expect(error.position.elementCount == 60)
        #expect(try container.otherContext().objects("Book", by: "isbn").count == 60)
        let encoded = try JSONEncoder().encode(error.position)
        var rest = ImportOptions()
        rest.start = try JSONDecoder().decode(ImportPosition.self, from: encoded)
        let report = try context.importJSON(Self.feed(100), options: rest)
        #expect(report.elementCount == 40 && report.position.elementCount == 100)
        #expect(report.entities["Book"]?.inserted == 40)
        #expect(try container.otherContext().objects("Book", by: "isbn").count == 100)
    }

    @Test(arguments: [ImportOptions.FailureHandling.report, .fail])
    func progressIsReportedAfterEachChunkWithWhatIsSaved(
        handling: ImportOptions.FailureHandling
    ) throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let seen = Locked<[[Int]]>([])
        var options = ImportOptions()
        options.chunkSize = 30
        options.failureHandling = handling
        options.progress = { progress in
            let report = progress.report
            seen.withLock { $0.append([report.elementCount, report.position.elementCount]) }
        }
        let report = try context.importJSON(Self.feed(100), options: options)
        let saved = handling == .report ? [30, 60, 90, 100] : [0, 0, 0, 0]
        #expect(seen.withLock { $0 } == zip([30, 60, 90, 100], saved).map { [$0, $1] })
        #expect(report.position.elementCount == 100)
    }

    @Test func objectsOfEarlierChunksLeaveTheMemory() throws {
        let context = try StoreKind.sqlite.container(ImportModel.model).viewContext
        let most = Locked(0)
        var options = ImportOptions()
        options.chunkSize = 100
        let rows = (0..<5_000).map { ["isbn": "\($0)", "title": "t"] }
        _ = try context.importFeed(.values(rows), options: options)
        context.trim()
        most.withLock { $0 = context.registeredObjects.count }
        #expect(most.withLock { $0 } <= 200)
    }

    @Test func aContainerImportsInTheBackgroundAndIsCancelledWithItsTask() async throws {
        let container = try StoreKind.sqlite.container()
        let json = Data(#"[{"code": "q1", "magnitude": 3}, {"code": "q2"}]"#.utf8)
        let report = try await container.import(from: .json(json), into: Quake.self) {
            $0.match(\.code)
        }
        #expect(report.inserted == 2)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.import(from: .json(json), into: Quake.self)
        }
        await #expect(throws: (any Error).self) { _ = try await task.value }
    }

    @Test func aChildImportsIntoItsParent() throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let child = ManagedObjectContext(parent: context)
        let report = try child.importJSON(Self.feed(10))
        #expect(report.inserted == 12 && !child.hasChanges && context.hasChanges)
        try context.save()
        #expect(try context.importJSON(Self.feed(10)).unchanged == 12)
    }
}
