import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// The classes of the article on models.
enum ModellingModel {
    // snippet: modelling.class
    enum Status: String, AttributeValue {
        case planned, onSale, over
    }

    @Managed(unique: [["hall", "begins"]], indexes: [["begins", "title"]])
    final class Concert: ManagedObject {
        @Attribute(.unique, pattern: "[a-z]+[0-9]*") var code: String
        @Attribute(.indexed, maximumLength: 80) var title: String = ""
        var begins: Date?
        var status: Status = .planned
        @Relationship(.required) var hall: Hall?
        @Relationship(inverse: \Ticket.concert, deleteRule: .cascade) var tickets: ToMany<Ticket>
        @Relationship(inverse: \Performer.concerts) var performers: OrderedToMany<Performer>
    }
    // end

    // snippet: modelling.awake
    @Managed
    final class Ticket: ManagedObject {
        var number: UUID
        var sold: Date
        @Attribute(minimum: 0) var price: Decimal = 0
        @Attribute(.confidential) var holder: String?
        @Relationship var concert: Concert?

        override func awakeFromInsert() {
            number = UUID()
            sold = .now
        }

        convenience init(for concert: Concert, price: Decimal, in context: ManagedObjectContext) {
            self.init(context: context)
            self.concert = concert
            self.price = price
        }
    }
    // end

    // snippet: modelling.relate
    @Managed
    final class Hall: ManagedObject {
        @Attribute(.unique) var name: String
        @Relationship(inverse: \Concert.hall, deleteRule: .deny) var concerts: ToMany<Concert>
    }

    @Managed
    final class Performer: ManagedObject {
        var name: String
        @Relationship var concerts: ToMany<Concert>
        @Relationship(.ownInverse) var knows: ToMany<Performer>
    }
    // end

    static let model = Result {
        try ManagedObjectModel(Concert.self, Ticket.self, Hall.self, Performer.self)
    }

    // snippet: modelling.inheritance
    @Managed(abstract: true)
    class Publication: ManagedObject {
        var title: String = ""
    }

    @Managed
    final class Magazine: Publication {
        var issue: Int = 0
    }
    // end

    // snippet: modelling.rules
    struct EndsBeforeItBegins: Error {}

    @Managed
    final class Tour: ManagedObject {
        var begins: Date
        var ends: Date?

        override class var propertyRules: [PropertyRule] {
            [
                PropertyRule(\Tour.ends) { ends, tour in
                    if let ends, ends < tour.begins { throw EndsBeforeItBegins() }
                }
            ]
        }
    }
    // end
}

/// What the article on models says.
@MainActor struct ModellingTests {
    typealias Concert = ModellingModel.Concert
    typealias Hall = ModellingModel.Hall
    typealias Magazine = ModellingModel.Magazine
    typealias Performer = ModellingModel.Performer
    typealias Publication = ModellingModel.Publication
    typealias Ticket = ModellingModel.Ticket
    typealias Tour = ModellingModel.Tour

    private let context: ManagedObjectContext
    private let concert: Concert

    init() throws {
        context = try PersistentContainer.open(
            model: ModellingModel.model.get(), stores: [.memory()]
        ).viewContext
        let hall = Hall(context: context)
        hall.name = "Wigmore Hall"
        concert = Concert(context: context)
        concert.code = "late1"
        concert.begins = Date(timeIntervalSinceReferenceDate: 0)
        concert.hall = hall
        try context.save()
    }

    @Test func anEnumerationIsComparedByItsCases() throws {
        concert.status = .onSale
        try context.save()
        #expect(try concert.storedValue(forKey: "status") == .text("onSale"))
        let found = try context.fetch(FetchRequest<Concert>().where { $0.status == .onSale })
        #expect(found == [concert])
    }

    @Test func aNewObjectHasItsValues() throws {
        let ticket = Ticket(for: concert, price: 30, in: context)
        let other = Ticket(for: concert, price: 20, in: context)
        #expect(ticket.number != other.number && ticket.price == 30 && other.concert == concert)
        try context.save()
        #expect(concert.tickets.count == 2)
    }

    @Test func aMandatoryAttributeNeedsAValueWhenItIsSaved() throws {
        let nameless = Hall(context: context)
        #expect(nameless.name == "")
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
        nameless.name = ""
        try context.save()
    }

    @Test func aRequiredToOneNeedsAnObjectWhenItIsSaved() throws {
        concert.hall = nil
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["hall"])
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
    }

    @Test func rulesOfTheModelAreChecked() throws {
        let ticket = Ticket(for: concert, price: -1, in: context)
        concert.code = "late night"
        concert.title = String(repeating: "a", count: 81)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(
            Set(error.failures.map(\.code))
                == [.numberTooSmall, .stringPatternMatching, .stringTooLong])
        #expect(ticket.price == -1)
    }

    @Test func uniqueValuesMayBeSeveralTogether() throws {
        let second = Concert(context: context)
        second.code = "late2"
        (second.hall, second.begins) = (concert.hall, concert.begins)
        #expect(throws: SaveConflictError.self) { try context.save() }
        // Nil never conflicts.
        second.begins = nil
        try context.save()
        let third = Concert(context: context)
        third.code = "late3"
        third.hall = concert.hall
        try context.save()
    }

    @Test func aDenyRuleKeepsTheOwnerAndACascadeDeletesTheDestinations() throws {
        let ticket = Ticket(for: concert, price: 30, in: context)
        try context.save()
        let hall = try #require(concert.hall)
        context.delete(hall)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.code).contains(.relationshipDeniedDelete))
        context.rollback()
        context.delete(concert)
        try context.save()
        #expect(ticket.isGone && !hall.isGone)
    }

    @Test func bothSidesOfARelationshipChangeTogether() throws {
        let ticket = Ticket(for: concert, price: 30, in: context)
        let (quartet, pianist) = (Performer(context: context), Performer(context: context))
        (quartet.name, pianist.name) = ("Quartet", "Pianist")

        // snippet: modelling.tomany
        concert.performers.append(contentsOf: [quartet, pianist])
        concert.performers.move(from: 1, to: 0)
        concert.tickets.remove(ticket)
        quartet.knows.insert(pianist)
        // end

        #expect(concert.performers.map(\.name) == ["Pianist", "Quartet"])
        #expect(quartet.concerts.contains(concert) && pianist.knows.contains(quartet))
        #expect(ticket.concert == nil && concert.tickets.isEmpty)
        try context.save()
    }

    @Test func aRequestForAClassFindsItsSubclasses() throws {
        let model = try ManagedObjectModel(Publication.self, Magazine.self)
        let context = try PersistentContainer.open(model: model, stores: [.memory()]).viewContext
        let magazine = Magazine(context: context)
        magazine.title = "Gramophone"
        magazine.issue = 1_200
        try context.save()
        #expect(try context.fetch(FetchRequest<Publication>()) == [magazine])
        var request = FetchRequest<Publication>()
        request.includesSubentities = false
        #expect(try context.fetch(request).isEmpty)
        #expect(
            model.entity(named: "Magazine")?.superentity == model.entity(named: "Publication")?.id)
    }

    @Test func aRuleInCodeIsCheckedByEachSave() throws {
        let context = try PersistentContainer.open(
            model: ManagedObjectModel(Tour.self), stores: [.memory()]
        ).viewContext
        let tour = Tour(context: context)
        tour.begins = Date(timeIntervalSinceReferenceDate: 10)
        tour.ends = Date(timeIntervalSinceReferenceDate: 0)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["ends"])
        #expect(error.failures[0].cause is ModellingModel.EndsBeforeItBegins)
    }

    @Test func aFetchedPropertyIsDescribedByHand() throws {
        // snippet: modelling.fetched
        var description = EntityDescription.of(Concert.self)
        description.fetchedProperties = [
            FetchedPropertyDescription(
                "sameEvening", destination: "Concert",
                predicateFormat: "begins == $FETCH_SOURCE.begins AND SELF != $FETCH_SOURCE",
                sortKeys: [.init("title")])
        ]
        let model = try ManagedObjectModel([
            description, .of(Ticket.self), .of(Hall.self), .of(Performer.self),
        ])
        // end

        let context = try PersistentContainer.open(model: model, stores: [.memory()]).viewContext
        let concerts = ["a", "b"].map { code in
            let concert = Concert(context: context)
            concert.code = code
            concert.begins = Date(timeIntervalSinceReferenceDate: 0)
            concert.hall = Hall(context: context)
            concert.hall?.name = code
            return concert
        }
        try context.save()
        let found: [Concert] = concerts[0].fetched("sameEvening")
        #expect(found == [concerts[1]])
        #expect(
            try concerts[0].fetchedObjects(forKey: "sameEvening", as: Concert.self)
                == [concerts[1]])
        // The classes are the same, and so is the version.
        #expect(try model.versionChecksum == ModellingModel.model.get().versionChecksum)
    }

    @Test func entitiesNeedNoClass() throws {
        // snippet: modelling.byhand
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Note",
                attributes: [
                    AttributeDescription("text", .string)
                        .validated(by: "SELF != ''", warning: "Write something."),
                    AttributeDescription("made", .date, isOptional: true),
                ],
                indexes: [IndexDescription("made")])
        ])
        let container = try PersistentContainer.open(model: model, stores: [.memory()])
        let context = container.viewContext
        guard let entity = model.entity(named: "Note") else { return }
        let note = ManagedObject(entity: entity, context: context)
        try note.setValue("Ring the box office", forKey: "text")
        // end

        try context.save()
        #expect(try note.value(forKey: "text") as? String == "Ring the box office")
        try note.setValue("", forKey: "text")
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures[0].message.contains("Write something."))
    }
}
