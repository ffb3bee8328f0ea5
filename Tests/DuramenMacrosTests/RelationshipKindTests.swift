import Duramen
import DuramenMacros
import DuramenMemory
import Testing

/// Classes with every kind of relationship, as `@Managed` writes them.
@Managed
final class Band: ManagedObject {
    var name: String
    @Relationship(inverse: \Tune.band) var tunes: OrderedToMany<Tune>
    @Relationship var sponsors: ToMany<Sponsor>
}

@Managed
final class Tune: ManagedObject {
    var title: String
    @Relationship var band: Band?
    @Relationship(.ownInverse) var similar: ToMany<Tune>
    @Relationship(.ownInverse) var flipSide: Tune?
    @Relationship var sponsor: Sponsor?
}

@Managed
final class Sponsor: ManagedObject {
    var name: String
}

@MainActor struct RelationshipKindTests {
    private static let byHand = [
        EntityDescription(
            name: "Band", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toMany("tunes", destination: "Tune", inverse: "band", isOrdered: true),
                .toMany("sponsors", destination: "Sponsor"),
            ]),
        EntityDescription(
            name: "Tune", attributes: [AttributeDescription("title", .string)],
            relationships: [
                .toOne("band", destination: "Band"),
                .toMany("similar", destination: "Tune", inverse: "similar"),
                .toOne("flipSide", destination: "Tune", inverse: "flipSide"),
                .toOne("sponsor", destination: "Sponsor"),
            ]),
        EntityDescription(name: "Sponsor", attributes: [AttributeDescription("name", .string)]),
    ]

    @Test func classesSayWhatDescriptionsSay() throws {
        let byClasses = try ManagedObjectModel(Band.self, Tune.self, Sponsor.self)
        #expect(
            byClasses.versionChecksum == (try ManagedObjectModel(Self.byHand)).versionChecksum)
    }

    @Test func everyKindIsSavedAndRead() throws {
        let container = try PersistentContainer.open(
            model: ManagedObjectModel(Band.self, Tune.self, Sponsor.self), stores: [.memory()])
        let context = container.viewContext
        let band = Band(context: context)
        band.name = "Quartet"
        let tunes = ["a", "b", "c"].map { title in
            let tune = Tune(context: context)
            tune.title = title
            return tune
        }
        band.tunes.append(contentsOf: tunes)
        band.tunes.move(from: 2, to: 0)
        tunes[0].similar.insert(tunes[1])
        tunes[0].flipSide = tunes[2]
        let sponsor = Sponsor(context: context)
        sponsor.name = "Bank"
        tunes[1].sponsor = sponsor
        band.sponsors.insert(sponsor)
        try context.save()
        context.reset()
        let found = try #require(try context.fetch(FetchRequest<Band>()).first)
        #expect(found.tunes.map(\.title) == ["c", "a", "b"])
        #expect(found.tunes[2].similar.map(\.title) == ["a"])
        #expect(found.tunes[0].flipSide === found.tunes[1])
        #expect(found.sponsors.map(\.name) == ["Bank"])
        let sought = try context.fetch(
            FetchRequest<Tune>().where { $0.similar.any { $0.title == "b" } })
        #expect(sought.map(\.title) == ["a"])
        context.delete(found.sponsors[0])
        try context.save()
        #expect(found.tunes[2].sponsor == nil)
        #expect(found.sponsors.isEmpty)
    }
}
