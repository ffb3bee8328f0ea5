import Duramen
import DuramenMemory
import DuramenQuery
import Foundation
import StoreTestSupport
import Testing

/// The mistakes that are found when a program runs; see `Tests/Fixtures/mistakes.txt`.
@MainActor
@Suite(.serialized)
struct FirstMistakeTests {
    private let container: PersistentContainer
    private var context: ManagedObjectContext { container.viewContext }

    init() throws { container = try StoreKind.memory.container() }

    @Test func theTableHasFourteenMistakes() {
        #expect(FirstMistake.all.map(\.number) == Array(1...14))
    }

    @Test func aSaveConflictNamesWhatSettlesIt() throws {
        try makeOne()
        let quake = try #require(try context.quake("us1"))
        try container.saveElsewhere { try $0.quake("us1")?.magnitude = 2 }
        quake.magnitude = 3
        try expect(6) { context in try context.save() }
    }

    @Test func anUnknownKeyNamesTheNearestProperty() throws {
        try makeOne()
        let quake = try #require(try context.quake("us1"))
        try expect(7) { _ in _ = try quake.value(forKey: "magnitud") }
    }

    @Test(arguments: [8, 9, 12])
    func aFormatStringThatIsWrongSaysWhatToWrite(number: Int) throws {
        let mistake = try #require(FirstMistake.numbered(number))
        let error = #expect(throws: PredicateFormatError.self) {
            try FetchPredicate(mistake.code)
        }
        #expect(error?.description == mistake.message)
    }

    @Test func sectionsOfAnotherComparisonThanTheOrderSayWhichOneToUse() throws {
        try expect(10) { context in
            let request = FetchRequest<Quake>()
            let results = FetchedResultsController(
                fetchRequest:
                    request.sorted(by: FetchSortDescriptor("code", comparison: .caseInsensitive)),
                managedObjectContext: context, sectionNameKeyPath: "code")
            try results.performFetch()
        }
    }

    @Test func anObjectIDIsComparedWithSelf() throws {
        try makeOne()
        let mistake = try #require(FirstMistake.numbered(11))
        let id = try #require(try context.quake("us1")).objectID
        let request = FetchRequest<Quake>().where(try FetchPredicate(mistake.code, id))
        try expect(11, isPart: true) { context in _ = try context.fetch(request) }
    }

    @Test func aRequestOfAnotherClassIsRefusedThoughTheStoreIsEmpty() throws {
        try expect(13) { context in
            _ = try context.fetch(FetchRequest<Region>(entityName: "Quake"))
        }
    }

    // MARK: -

    private func makeOne() throws {
        _ = context.insertQuake("us1", magnitude: 1)
        try context.save()
    }

    /// Compares what a mistake throws, which this file makes as the table writes it.
    private func expect(
        _ number: Int, isPart: Bool = false, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        let mistake = try #require(FirstMistake.numbered(number))
        let error = try #require(throws: (any Error).self) { try body(context) }
        if isPart {
            #expect("\(error)".contains(mistake.message), "\(error)")
        } else {
            #expect("\(error)" == mistake.message)
        }
    }
}
