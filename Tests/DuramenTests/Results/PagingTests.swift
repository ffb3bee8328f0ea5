import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import Duramen

/// Pages by the place of the last object.
@MainActor struct PagingTests {
    /// Sort orders over random sales: nulls, ties, both directions, over a to-one, without case.
    nonisolated static let orders: [[FetchSortDescriptor]] = [
        [],
        [FetchSortDescriptor("code")],
        [FetchSortDescriptor("code", ascending: false)],
        [FetchSortDescriptor("title")],
        [FetchSortDescriptor("title", ascending: false)],
        [FetchSortDescriptor("title", comparison: .caseInsensitive)],
        [FetchSortDescriptor("title", comparison: .localized)],
        [FetchSortDescriptor("title", ascending: false, comparison: .localizedStandard)],
        [
            FetchSortDescriptor(
                "title", ascending: false, comparison: .caseAndDiacriticInsensitive),
            FetchSortDescriptor("quantity"),
        ],
        [FetchSortDescriptor("quantity"), FetchSortDescriptor("weight", ascending: false)],
        [FetchSortDescriptor("quantity"), FetchSortDescriptor("title")],
        [FetchSortDescriptor("shop.name"), FetchSortDescriptor("quantity")],
        [FetchSortDescriptor("weight", ascending: false), FetchSortDescriptor("amount")],
        [FetchSortDescriptor("amount", ascending: false), FetchSortDescriptor("quantity")],
        [
            FetchSortDescriptor("shop.name", ascending: false), FetchSortDescriptor("quantity"),
            FetchSortDescriptor("title", ascending: false),
        ],
        [FetchSortDescriptor("shop.city"), FetchSortDescriptor("shop.name")],
        [FetchSortDescriptor("SELF", ascending: false), FetchSortDescriptor("code")],
        [FetchSortDescriptor("title"), FetchSortDescriptor("SELF", ascending: false)],
        [FetchSortDescriptor("shop.sales.@count", ascending: false)],
        [
            FetchSortDescriptor("shop.sales.@count"), FetchSortDescriptor("title"),
            FetchSortDescriptor("SELF", ascending: false),
        ],
    ]

    @Test(arguments: StoreKind.allCases)
    func pagesAddUpToTheWhole(kind: StoreKind) throws {
        let seed = randomSeed()
        var generator = SplitMix64(seed: seed)
        let container = try kind.container(Sales.model)
        _ = try RandomSales.insert(70, into: container, &generator)
        let context = container.makeContext()
        for order in Self.orders {
            let size = Int.random(in: 1...9, using: &generator)
            try expectPages(of: size, order, in: context, "seed \(seed)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func pagesOfUnsavedChangesAddUpToTheWhole(kind: StoreKind) throws {
        let seed = randomSeed()
        var generator = SplitMix64(seed: seed)
        let container = try kind.container(Sales.model)
        _ = try RandomSales.insert(30, into: container, &generator)
        let context = container.makeContext()
        for (number, sale) in try context.fetch(FetchRequest<Sale>()).enumerated() {
            switch number % 5 {
            case 0: sale.title = "changed"
            case 1: sale.shop?.name = "three"
            case 2: Sale(context: context).code = "new \(number)"
            case 3 where number % 2 == 0: context.delete(sale)
            default: break
            }
        }
        for order in Self.orders { try expectPages(of: 4, order, in: context, "seed \(seed)") }
    }

    private func expectPages(
        of size: Int, _ order: [FetchSortDescriptor], in context: ManagedObjectContext,
        _ comment: String
    ) throws {
        var request = FetchRequest<Sale>()
        request.sortDescriptors = order
        let whole = try context.fetch(request).map(\.code)
        let first = request.limit(size)
        var page = first
        var walked: [String] = []
        while walked.count <= whole.count {
            let objects = try context.fetch(page)
            walked += objects.map(\.code)
            guard let last = objects.last else { break }
            page = try first.after(last)
        }
        #expect(walked == whole, "\(comment), \(order)")
    }

    @Test(arguments: TwoStores.Kinds.all)
    func pagesGoOverSeveralStores(kinds: TwoStores.Kinds) throws {
        let stores = try TwoStores(kinds).filled()
        let context = stores.container.makeContext()
        for order in [[], [FetchSortDescriptor("status")]] {
            var first = FetchRequest<Quake>().limit(1)
            first.sortDescriptors = order
            var page = first
            var codes: [String] = []
            while let last = try context.fetch(page).first, codes.count < 5 {
                codes.append(last.code)
                page = try first.after(last)
            }
            let all = try context.fetch(first.limit(10)).map(\.code)
            #expect(codes == all)
            #expect(codes.count == 4)
        }
    }

    @Test func aPositionCanBeHandedOutAndBack() async throws {
        let container = try Sales.container(.sqlite)
        let request = FetchRequest<Sale>().sorted(by: \.title, .descending).limit(3)
        let page = try container.viewContext.fetch(request)
        #expect(page.map(\.code) == ["c", "f", "a"])
        let position = try FetchPosition(of: page[2], in: request.sortDescriptors)
        #expect(position.values == [.text("bread")])
        let token = try JSONEncoder().encode(position)
        let back = try JSONDecoder().decode(FetchPosition.self, from: token)
        #expect(back == position)
        let next = try container.fetchAndWait(request.after(back).select(\.code))
        #expect(next == ["e", "g", "b"])
    }

    @Test func aStoreAnswersPagesItself() throws {
        let container = try Sales.container(.sqlite)
        let store = try #require(container.persistentStoreCoordinator.connections.first).store
        let request = FetchRequest<Sale>().sorted(by: \.title, .descending)
        let context = container.makeContext()
        let objects = try context.fetch(request)
        for object in objects {
            let query = try StoreQuery(
                entity: object.entity.id, predicate: request.after(object).predicate,
                sortDescriptors: request.sortDescriptors, limit: 2)
            #expect(store.pushdown(for: query).residual == nil)
            #expect(!store.pushdown(for: query).needsWindow)
        }
    }

    @Test func whatComesBeforeMayComeAndGo() throws {
        let container = try Sales.container(.memory)
        let context = container.makeContext()
        let request = FetchRequest<Sale>().sorted(by: \.code).limit(3)
        let page = try context.fetch(request)
        let next = try request.after(page[2])
        context.delete(page[0])
        try context.save()
        #expect(try context.fetch(next).map(\.code) == ["d", "e", "f"])
    }

    @Test func aPositionOfAnotherOrderIsRefused() throws {
        let container = try Sales.container(.memory)
        let object = try #require(
            container.viewContext.fetch(FetchRequest<Sale>().sorted(by: \.code)).first)
        let position = try FetchPosition(of: object, in: [FetchSortDescriptor("code")])
        let error = #expect(throws: ContextError.self) {
            try FetchRequest<Sale>().after(position)
        }
        #expect(error?.code == .invalidRequest)
        let misfit = #expect(throws: StoreError.self) {
            try container.viewContext.fetch(
                FetchRequest<Sale>().sorted(by: \.quantity).after(position))
        }
        #expect(misfit?.detail == "typeMismatch")
        let objects = #expect(throws: StoreError.self) {
            try FetchPosition(of: object, in: [FetchSortDescriptor("shop")])
        }
        #expect(objects?.detail == "invalidKeyPath")
    }
}
