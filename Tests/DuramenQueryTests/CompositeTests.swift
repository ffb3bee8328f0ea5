import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// Composites in predicates and orders: how paths become names that stores know.
struct CompositeTests {
    private struct Grid: QueryableComposite {
        var zone: Int?
        static func elementName(for keyPath: AnyKeyPath) -> String? {
            keyPath == \Grid.zone ? "zone" : nil
        }
    }

    private struct Location: QueryableComposite {
        var latitude: Double
        var grid: Grid?
        var marks: [String]?
        var unknown: Double
        static func elementName(for keyPath: AnyKeyPath) -> String? {
            [\Location.latitude: "latitude", \Location.grid: "grid", \Location.marks: "marks"][
                keyPath]
        }
    }

    private final class Quake: QueryableObject {
        var epicentre = Location(latitude: 0, unknown: 0)
        var origin: Location?
        var region: Region?
        var labels: [String]?
        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            [
                \Quake.epicentre: "epicentre", \Quake.origin: "origin", \Quake.region: "region",
                \Quake.labels: "labels",
            ][keyPath]
        }
        var queryObjectID: ManagedObjectID { .temporary(entity: EntityHandle(name: "Quake")) }
    }

    private final class Region: QueryableObject {
        var centre: Location?
        static func propertyName(for keyPath: AnyKeyPath) -> String? {
            keyPath == \Region.centre ? "centre" : nil
        }
        var queryObjectID: ManagedObjectID { .temporary(entity: EntityHandle(name: "Region")) }
    }

    private static func location(_ name: String, isOptional: Bool) -> AttributeDescription {
        .composite(
            name, isOptional: isOptional,
            elements: [
                AttributeDescription("latitude", .double),
                .composite(
                    "grid", isOptional: true,
                    elements: [AttributeDescription("zone", .integer16, isOptional: true)]),
                .codable([String]?.self, name: "marks", identifier: "Texts"),
            ])
    }

    private let model: ManagedObjectModel
    private let quake: Entity

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription(
                name: "Quake",
                attributes: [
                    Self.location("epicentre", isOptional: false),
                    Self.location("origin", isOptional: true),
                    .composite("nothing", isOptional: true, elements: []),
                    .codable([String]?.self, name: "labels", identifier: "Texts"),
                ],
                relationships: [.toOne("region", destination: "Region", inverse: "quakes")]),
            EntityDescription(
                name: "Region", attributes: [Self.location("centre", isOptional: true)],
                relationships: [.toMany("quakes", destination: "Quake")]),
        ])
        quake = try #require(model.entity(named: "Quake"))
    }

    private func flattened(_ predicate: FetchPredicate) throws -> FetchPredicate? {
        try StoreQuery(entity: quake.id, predicate: predicate).lowered(in: model)
            .predicate
    }

    private func test(
        _ names: [String], _ relation: PredicateComparison.Operator, _ value: StoredValue = .null
    ) -> FetchPredicate {
        .comparison(PredicateComparison(.keyPath(names), relation, .constant(value)))
    }

    @Test func aPathHasOneNameForAnElement() throws {
        let one = StoredValue.integer(1)
        for (path, names) in [
            ("epicentre.latitude", ["epicentre.latitude"]),
            ("origin.grid.zone", ["origin.grid.zone"]),
            ("region.centre.grid.zone", ["region", "centre.grid.zone"]),
            ("origin.grid.zone.more", ["origin.grid.zone", "more"]),
            ("origin.nowhere.zone", ["origin.nowhere", "zone"]),
            ("region.nowhere.zone", ["region", "nowhere", "zone"]),
        ] {
            #expect(
                try flattened(.keyPath(path, .less, one)) == test(names, .less, one), "\(path)")
        }
    }

    @Test func theTypedFormsAndTheNamesSayTheSame() throws {
        let typed: [(FetchPredicate, String)] = [
            (
                FetchPredicate(Quake.self) { $0.epicentre.latitude >= 3 },
                "epicentre.latitude >= 3.0"
            ),
            (FetchPredicate(Quake.self) { $0.origin.grid.zone == nil }, "origin.grid.zone == nil"),
            (
                FetchPredicate(Quake.self) { $0.region.centre.grid.zone < 2 },
                "region.centre.grid.zone < 2"
            ),
            (FetchPredicate(Quake.self) { $0.labels == nil }, "labels == nil"),
            (FetchPredicate(Quake.self) { $0.origin.marks != nil }, "origin.marks != nil"),
            (FetchPredicate(Quake.self) { $0.origin != nil }, "origin != nil"),
        ]
        for (predicate, text) in typed {
            #expect("\(predicate)" == text)
            _ = try predicate.bound(to: quake, in: model)
        }
    }

    @Test func elementsAreCalculatedWithAndACompositeIsAPlace() throws {
        #expect(
            FetchPredicate(Quake.self) { $0.origin.grid.zone + 1 > $0.region.centre.grid.zone % 3 }
                == (try FetchPredicate(
                    "origin.grid.zone + 1 > modulus:by:(region.centre.grid.zone, 3)")))
        #expect(
            FetchPredicate(Quake.self) {
                QueryExpression.distance(
                    from: QueryCollection($0.origin), to: QueryCollection([35, 139])) < 1_000
            }
                == (try FetchPredicate(
                    "distanceToLocation:fromLocation:({35.0, 139.0}, origin) < 1000.0")))
    }

    @Test func comparingACompositeWithNilAsksForAllItsElements() throws {
        let names = ["origin.grid.zone", "origin.latitude", "origin.marks"]
        #expect(
            try flattened(.keyPath("origin", .equal, .null))
                == .and(names.map { test([$0], .equal) }))
        #expect(
            try flattened(FetchPredicate(Quake.self) { $0.origin != nil })
                == .or(names.map { test([$0], .notEqual) }))
        #expect(
            try flattened(.not(.keyPath("region.centre.grid", .equal, .null)))
                == .not(.and([test(["region", "centre.grid.zone"], .equal)])))
        #expect(try flattened(.keyPath("nothing", .equal, .null)) == .and([]))
        #expect(try flattened(.keyPath("nothing", .notEqual, .null)) == .or([]))
    }

    @Test func whatStandsUnderAQuantifierIsOfItsDestination() throws {
        let region = try #require(model.entity(named: "Region"))
        let query = StoreQuery(
            entity: region.id,
            predicate: .quantified(
                .any, keyPath: ["quakes"], .keyPath("epicentre.latitude", .equal, .null)),
            sortDescriptors: [FetchSortDescriptor("centre.grid.zone")])
        let flattened = try query.lowered(in: model)
        #expect(
            flattened.predicate
                == .quantified(.any, keyPath: ["quakes"], test(["epicentre.latitude"], .equal)))
        #expect(flattened.sortDescriptors[0].keyPath == ["centre.grid.zone"])
        #expect(try flattened.lowered(in: model) == flattened)
    }

    private static let refused: [(FetchPredicate, FetchPredicateError.Code)] = [
        (.keyPath("origin", .equal, .double(1)), .invalidKeyPath),
        (.keyPath("origin", .less, .null), .invalidKeyPath),
        (.keyPath("origin.nowhere", .equal, .null), .unknownProperty),
        (.keyPath("origin.latitude.degrees", .equal, .null), .invalidKeyPath),
        (.keyPath("labels", .equal, .binary(Data())), .typeMismatch),
        (.keyPath("labels", .less, .null), .typeMismatch),
        (.keyPath("labels", .isIn, [StoredValue.null]), .typeMismatch),
        (
            .comparison(
                PredicateComparison(.keyPath(["labels"]), .equal, .keyPath(["origin", "marks"]))),
            .typeMismatch
        ),
        (FetchPredicate(Quake.self) { $0.origin.unknown == 1 }, .unknownProperty),
    ]

    @Test(arguments: refused.indices)
    func whatHasNoMeaningIsRefused(index: Int) {
        let (predicate, code) = Self.refused[index]
        let error = #expect(throws: FetchPredicateError.self) {
            _ = try predicate.bound(to: quake, in: model)
        }
        #expect(error?.code == code, "\(predicate): \(error.map { "\($0)" } ?? "")")
    }

    @Test(arguments: ["origin", "labels", "origin.marks", "nothing"])
    func compositesAndEncodedValuesHaveNoOrder(path: String) {
        #expect(throws: FetchPredicateError.self) {
            _ = try [FetchSortDescriptor(path)].bound(to: quake, in: model)
        }
    }

    @Test func aPredicateThatIsTooDeepIsRefusedBeforeItIsWalkedThrough() {
        var predicate = FetchPredicate.keyPath("origin", .equal, .null)
        for _ in 0..<200 { predicate = .not(predicate) }
        let query = StoreQuery(entity: quake.id, predicate: predicate)
        let error = #expect(throws: FetchPredicateError.self) {
            _ = try query.lowered(in: model)
        }
        #expect(error?.code == .tooComplex)
    }
}
