import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct SortTests {
    /// Sorts all quakes, checks that `precedes` agrees with the order, and gives the keys.
    private func keys(_ objects: Objects, _ descriptors: FetchSortDescriptor...) throws -> [Int64] {
        let bound = try descriptors.bound(to: Earth.entity("Quake"), in: Earth.model)
        let quakes = objects.rows.filter { $0.key.entityName == "Quake" }
        var items = quakes.map { (row: $0.value, id: $0.key) }
        bound.sort(&items, in: objects)
        let found = items.map { bound.keys(of: $0, in: objects) }
        for (index, first) in found.enumerated() {
            for (other, second) in found.enumerated() {
                #expect(bound.precedes(first, second) == (index < other))
            }
        }
        return items.map(\.id.key)
    }

    private func quakes(_ name: String, _ values: [StoredValue]) -> Objects {
        var objects = Objects()
        for (index, value) in values.enumerated() {
            objects.add("Quake", Int64(index + 1), [name: value])
        }
        return objects
    }

    @Test func withoutKeysTheIDDecides() throws {
        #expect(try keys(quakes("code", [.null, .null, .null])) == [1, 2, 3])
    }

    @Test func nullIsSmallestAndTiesGoByIDInBothDirections() throws {
        let objects = quakes(
            "magnitude", [.double(2), .null, .double(-1), .double(2), .null, .double(-0.0)])
        #expect(try keys(objects, FetchSortDescriptor("magnitude")) == [2, 5, 3, 6, 1, 4])
        #expect(
            try keys(objects, FetchSortDescriptor("magnitude", ascending: false))
                == [1, 4, 6, 3, 2, 5])
    }

    @Test func extremeIntegersAndDecimalsSort() throws {
        let integers = quakes(
            "reports", [.integer(.max), .null, .integer(.min), .integer(0), .integer(-1)])
        #expect(try keys(integers, FetchSortDescriptor("reports")) == [2, 3, 5, 4, 1])
        #expect(
            try keys(integers, FetchSortDescriptor("reports", ascending: false)) == [1, 4, 5, 3, 2])
        let decimals = quakes("damage", [.decimal(10), .decimal(9), .null, .decimal(-1)])
        #expect(try keys(decimals, FetchSortDescriptor("damage")) == [3, 4, 2, 1])
        #expect(
            try keys(decimals, FetchSortDescriptor("damage", ascending: false)) == [1, 2, 4, 3])
    }

    @Test func textSortsByBytesBeyondTheFirstEight() throws {
        let objects = quakes(
            "code",
            ["abcdefghZ", "abcdefgh", "abcdefgh\u{0}", "", "\u{E9}", "z", "Z"].map { .text($0) })
        #expect(try keys(objects, FetchSortDescriptor("code")) == [4, 7, 2, 3, 1, 6, 5])
        #expect(
            try keys(objects, FetchSortDescriptor("code", ascending: false)) == [
                5, 6, 1, 3, 2, 7, 4,
            ])
    }

    @Test func textSortsWithoutCaseAndMarks() throws {
        let objects = quakes("code", ["b", "A", "\u{E0}", "a", "B"].map { .text($0) })
        #expect(
            try keys(objects, FetchSortDescriptor("code", comparison: .caseInsensitive))
                == [2, 4, 1, 5, 3])
        #expect(
            try keys(
                objects, FetchSortDescriptor("code", comparison: .caseAndDiacriticInsensitive))
                == [2, 3, 4, 1, 5])
    }

    @Test func laterKeysDecideAndPathsAreFollowed() throws {
        var objects = Objects()
        let honshu = objects.add("Region", 1, ["name": .text("Honshu")])
        let alaska = objects.add("Region", 2, ["name": .text("Alaska")])
        objects.add("Quake", 1, ["region": .objectID(honshu), "magnitude": .double(1)])
        objects.add("Quake", 2, ["region": .objectID(alaska), "magnitude": .double(2)])
        objects.add("Quake", 3, ["region": .objectID(honshu), "magnitude": .double(3)])
        objects.add("Quake", 4, ["region": .objectID(objects.id("Region", 9))])
        objects.add("Quake", 5)
        #expect(
            try keys(
                objects, FetchSortDescriptor("region.name"),
                FetchSortDescriptor("magnitude", ascending: false)) == [4, 5, 2, 3, 1])
    }

    @Test func countsOfToManysDecideAndObjectsDecideAtTheEnd() throws {
        var objects = Objects()
        let tags = (1...3).map { objects.add("Tag", $0) }
        for (key, count) in [(Int64(1), 2), (2, 0), (3, 3), (4, 2), (5, 0)] {
            let quake = objects.add("Quake", key)
            objects.link(quake, "tags", Array(tags.prefix(count)))
        }
        let count = FetchSortDescriptor("tags.@count")
        let falling = FetchSortDescriptor("tags.@count", ascending: false)
        let newest = FetchSortDescriptor("SELF", ascending: false)
        #expect(try keys(objects, count) == [2, 5, 1, 4, 3])
        #expect(try keys(objects, falling) == [3, 1, 4, 2, 5])
        #expect(try keys(objects, count, newest) == [5, 2, 4, 1, 3])
        #expect(try keys(objects, newest) == [5, 4, 3, 2, 1])
        #expect(try keys(objects, newest, count) == [5, 4, 3, 2, 1])
        #expect(try keys(objects, FetchSortDescriptor("SELF"), falling) == [1, 2, 3, 4, 5])
        #expect(try keys(objects, FetchSortDescriptor("region.quakes.@count")) == [1, 2, 3, 4, 5])
    }

    @Test func needlessKeysAreLeftOut() throws {
        let code = FetchSortDescriptor("code")
        let newest = FetchSortDescriptor("SELF", ascending: false)
        func lowered(_ descriptors: FetchSortDescriptor...) throws -> [FetchSortDescriptor] {
            try StoreQuery(entity: Earth.entity("Quake").id, sortDescriptors: descriptors)
                .lowered(in: Earth.model).sortDescriptors
        }
        #expect(try lowered(code, FetchSortDescriptor("SELF")) == [code])
        #expect(try lowered(FetchSortDescriptor("SELF"), code) == [])
        #expect(try lowered(code, newest, code) == [code, newest])
        #expect(try lowered(code, code) == [code, code])
    }

    @Test func whatHasNoOrderIsRefused() {
        func code(_ descriptor: FetchSortDescriptor) -> FetchPredicateError.Code? {
            do throws(FetchPredicateError) {
                _ = try [descriptor].bound(to: Earth.entity("Quake"), in: Earth.model)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(FetchSortDescriptor("region")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("tags")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("tags.name")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("code.x")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("x")) == .unknownProperty)
        #expect(code(FetchSortDescriptor("@count")) == .unknownProperty)
        #expect(code(FetchSortDescriptor("code.@count")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("region.@count")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("tags.quakes.@count")) == .invalidKeyPath)
        #expect(code(FetchSortDescriptor("SELF", comparison: .localized)) == .typeMismatch)
        #expect(code(FetchSortDescriptor("tags.@count", comparison: .localized)) == .typeMismatch)
        #expect(
            code(FetchSortDescriptor("magnitude", comparison: .caseInsensitive)) == .typeMismatch)
    }
}
