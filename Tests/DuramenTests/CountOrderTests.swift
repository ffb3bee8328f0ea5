import Duramen
import Testing

/// Orders by the number of objects of a to-many and by the objects themselves, in contexts.
@MainActor struct CountOrderTests {
    /// Regions r0 to r3 with 2, 0, 3 and 1 quakes.
    private func regions(_ kind: StoreKind) throws -> ManagedObjectContext {
        let context = try kind.container().viewContext
        for (number, count) in [2, 0, 3, 1].enumerated() {
            let region = context.insertRegion("r\(number)")
            for quake in 0..<count { _ = context.insertQuake("q\(number)\(quake)", in: region) }
            // One after the other, so that their IDs ascend.
            try context.save()
        }
        return context
    }

    private func names(
        _ descriptors: FetchSortDescriptor..., in context: ManagedObjectContext
    ) throws -> [String] {
        var request = FetchRequest<Region>()
        request.sortDescriptors = descriptors
        return try context.fetch(request).map(\.name)
    }

    @Test(arguments: StoreKind.allCases)
    func textAndTypedFormsOrderAlike(kind: StoreKind) throws {
        let context = try regions(kind)
        let typed = FetchSortDescriptor(Region.self) { $0.quakes.count }
        #expect(typed == FetchSortDescriptor("quakes.@count"))
        #expect(try names(typed, in: context) == ["r1", "r3", "r0", "r2"])
        #expect(
            try names(FetchSortDescriptor("quakes.@count", ascending: false), in: context)
                == ["r2", "r0", "r3", "r1"])
        let newest = FetchSortDescriptor(\Region.objectID, ascending: false)
        #expect(newest == FetchSortDescriptor("SELF", ascending: false))
        #expect(
            newest == FetchSortDescriptor(Region.self, ascending: false) { $0.objectID })
        #expect(try names(newest, in: context) == ["r3", "r2", "r1", "r0"])
        #expect(try names(FetchSortDescriptor("SELF"), in: context) == ["r0", "r1", "r2", "r3"])
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedMembersCount(kind: StoreKind) throws {
        let context = try regions(kind)
        let request = FetchRequest<Region>().sorted(by: "quakes.@count", ascending: false)
        let first = try #require(try context.fetch(request).last)
        for number in 0..<4 { _ = context.insertQuake("n\(number)", in: first) }
        #expect(try context.fetch(request).map(\.name) == ["r1", "r2", "r0", "r3"])
        #expect(try context.fetch(request.limit(2).offset(1)).map(\.name) == ["r2", "r0"])
        let empty = FetchRequest<Region>().where { $0.quakes == nil }
        #expect(try context.fetch(empty) == [])
        try context.fetch(FetchRequest<Quake>().where { $0.region.name == "r3" })
            .forEach { $0.region = nil }
        #expect(try context.fetch(empty).map(\.name) == ["r3"])
        #expect(
            try context.fetch(FetchRequest<Region>().where(try FetchPredicate("quakes != nil")))
                .map(\.name) == ["r0", "r1", "r2"])
    }

    @Test(arguments: StoreKind.allCases)
    func otherNumbersAndOtherObjectsAreRefused(kind: StoreKind) throws {
        let context = try regions(kind)
        for descriptor in [
            FetchSortDescriptor(Region.self) { $0.quakes.count + 1 },
            FetchSortDescriptor(Region.self) { $0.quakes.count { $0.magnitude > 1 } },
            FetchSortDescriptor("name.@count"), FetchSortDescriptor("@count"),
            FetchSortDescriptor("quakes.tags.@count"),
            FetchSortDescriptor("SELF", comparison: .localized),
            FetchSortDescriptor("quakes.@count", comparison: .localized),
        ] {
            #expect(throws: StoreError.self, "\(descriptor)") {
                try names(descriptor, in: context)
            }
        }
        #expect(throws: StoreError.self) {
            try context.fetch(
                FetchRequest<Quake>().sorted(
                    by: FetchSortDescriptor(Quake.self) { $0.region.objectID }))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func listsFollowAnOrderByTheObjectsAndRefuseOneByCounts(kind: StoreKind) throws {
        let context = try regions(kind)
        let results = try FetchedResults(
            FetchRequest<Region>().sorted(by: "SELF", ascending: false), in: context)
        #expect(results.objects?.map(\.name) == ["r3", "r2", "r1", "r0"])
        _ = context.insertRegion("r4")
        context.processPendingChanges()
        #expect(results.objects?.map(\.name) == ["r4", "r3", "r2", "r1", "r0"])
        #expect(throws: StoreError.self) {
            try FetchedResults(FetchRequest<Region>().sorted(by: "quakes.@count"), in: context)
        }
    }

    @Test func anExplanationShowsTheKeys() throws {
        let context = try regions(.sqlite)
        let request = FetchRequest<Region>().sorted(by: "quakes.@count", ascending: false)
            .sorted(by: "SELF", ascending: false)
        let order = try context.explain(request).map { $0.ordering }
        #expect(
            order == [.store])
        #expect("\(try context.explain(request))".contains("quakes.@count descending"))
    }
}
