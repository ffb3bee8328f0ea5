import Duramen
import Foundation
import Testing

/// What a fetched dictionary is, and what a fetch of dictionaries sees.
@MainActor struct FetchedDictionaryTests {
    private func request() throws -> DictionaryFetchRequest<Sale> {
        FetchRequest<Sale>().dictionaries(
            "title", "shop", try .init("n", "count(SELF)"), try .init("sum", "sum(quantity)"),
            try .init("amount", "sum(amount)")
        ).grouped(by: "title", "shop")
    }

    @Test func valuesAreFoundByNameAsTheirTypes() throws {
        let container = try Sales.container(.memory)
        let row = try #require(container.fetchDictionariesAndWait(request()).last)
        #expect(row.keys == ["title", "shop", "n", "sum", "amount"])
        #expect(row["title"] == .text("fish"))
        #expect(row["no such"] == nil)
        #expect(row["title", as: String.self] == "fish")
        #expect(row["n", as: Int.self] == 2)
        #expect(row["n", as: Double.self] == 2)
        #expect(row["n", as: Decimal.self] == 2)
        #expect(row["amount", as: Double.self] == 20.8)
        #expect(row["amount", as: Int.self] == nil)
        #expect(row["title", as: Int.self] == nil)
        #expect(row.objectID("shop")?.entityName == "Shop")
        #expect(row.objectID("title") == nil)
        #expect(row.map(\.key) == row.keys)
        #expect(row.dictionary["sum"] == .integer(1))
    }

    @Test func withoutPropertiesAllAttributesAreFetched() throws {
        let container = try Sales.container(.sqlite)
        let all = try container.fetchDictionariesAndWait(
            FetchRequest<OnlineSale>().dictionaries())
        #expect(all.count == 1)
        #expect(
            all[0].keys == ["amount", "code", "day", "quantity", "title", "weight", "host"])
        #expect(all[0]["code"] == .text("g"))
    }

    @Test func subentitiesBelongToTheResultUnlessLeftOut() throws {
        let container = try Sales.container(.memory)
        var request = FetchRequest<Sale>().dictionaries(try .init("n", "count(SELF)"))
        #expect(try container.fetchDictionariesAndWait(request)[0]["n"] == .integer(8))
        request.request.includesSubentities = false
        #expect(try container.fetchDictionariesAndWait(request)[0]["n"] == .integer(7))
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesNeverTakePart(kind: StoreKind) async throws {
        let container = try Sales.container(kind)
        let context = container.viewContext
        let count = FetchRequest<Sale>().dictionaries(
            try .init("n", "count(SELF)"), try .init("sum", "sum(quantity)"))
        let before = try context.fetchDictionaries(count)
        Sale(context: context).code = "new"
        let sale = try context.fetch(FetchRequest<Sale>().where { $0.code == "a" })
        sale[0].quantity = 1000
        #expect(try context.fetchDictionaries(count) == before)
        #expect(try await context.fetchDictionariesOffOwner(count) == before)
        let child = ManagedObjectContext(parent: context)
        #expect(try child.fetchDictionaries(count) == before)
        try context.save()
        let after = try child.fetchDictionaries(count)
        #expect(after[0].words == "9 1017")
        #expect(try await container.fetchDictionaries(count) == after)
    }

    @Test func aPinnedContextShowsItsGeneration() throws {
        let container = try Sales.container(.sqlite)
        let context = container.makeContext(
            ContextOptions(automaticallyMergesChangesFromParent: false))
        try context.setQueryGeneration(from: .current)
        let count = FetchRequest<Sale>().dictionaries(try .init("n", "count(SELF)"))
        #expect(try context.fetchDictionaries(count)[0].words == "8")
        try container.saveElsewhere { Sale(context: $0).code = "new" }
        #expect(try context.fetchDictionaries(count)[0].words == "8")
        #expect(try container.fetchDictionariesAndWait(count)[0].words == "9")
    }

    @Test func whatDoesNotFitTheModelIsRefused() throws {
        let container = try Sales.container(.memory)
        func failure(_ request: DictionaryFetchRequest<Sale>) -> StoreError? {
            #expect(throws: StoreError.self) { try container.fetchDictionariesAndWait(request) }
        }
        let sales = FetchRequest<Sale>()
        #expect(failure(sales.dictionaries("titel"))?.detail == "unknownProperty")
        #expect(failure(sales.dictionaries("shop.sales"))?.detail == "invalidColumn")
        #expect(
            failure(sales.dictionaries("code", try .init("n", "count(SELF)")))?.detail
                == "notGrouped")
        #expect(failure(sales.dictionaries("code").sorted(by: "shop"))?.detail == "invalidKeyPath")
        let negative = #expect(throws: ContextError.self) {
            try container.fetchDictionariesAndWait(sales.dictionaries("code").limit(-1))
        }
        #expect(negative?.code == .invalidRequest)
        let unknown = #expect(throws: ContextError.self) {
            try container.fetchDictionariesAndWait(
                FetchRequest<Sale>(entityName: "Sael").dictionaries())
        }
        #expect(unknown?.code == .unknownName)
    }

    @Test func aRaisedFlagEndsTheFetch() throws {
        let container = try Sales.container(.memory)
        var request = FetchRequest<Sale>().dictionaries("code")
        let flag = CancellationFlag()
        request.request.cancellation = flag
        flag.cancel()
        let error = #expect(throws: StoreError.self) {
            try container.fetchDictionariesAndWait(request)
        }
        #expect(error?.code == .cancelled)
    }
}
