import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct ValueConversionTests {
    @Test func capturedValuesOfEveryTypeBecomeConstants() throws {
        let (text, integer, real, flag) = ("a", 3, 1.5, true)
        let (depth, damage): (Float?, Decimal?) = (0.5, 2)
        let (date, data) = (Date(timeIntervalSinceReferenceDate: 7), Data([1]))
        #expect(try converted(#Predicate { $0.code == text }) == FetchPredicate("code == 'a'"))
        #expect(
            try converted(#Predicate { $0.reports == integer }) == FetchPredicate("reports == 3"))
        #expect(
            try converted(#Predicate { $0.magnitude == real }) == FetchPredicate("magnitude == 1.5")
        )
        #expect(try converted(#Predicate { $0.isFelt == flag }) == FetchPredicate("isFelt == TRUE"))
        #expect(try converted(#Predicate { $0.depth == depth }) == FetchPredicate("depth == 0.5"))
        #expect(
            try converted(#Predicate { $0.damage == damage })
                == FetchPredicate("damage == %@", Decimal(2)))
        #expect(try converted(#Predicate { $0.time == date }) == FetchPredicate("time == %@", date))
        #expect(try converted(#Predicate { $0.wave == data }) == FetchPredicate("wave == %@", data))
    }

    @Test func nilIsNull() throws {
        let none: String? = nil
        #expect(try converted(#Predicate { $0.note == nil }) == FetchPredicate("note == nil"))
        #expect(try converted(#Predicate { $0.note != none }) == FetchPredicate("note != nil"))
        #expect(try converted(#Predicate { $0.region == nil }) == FetchPredicate("region == nil"))
    }

    @Test func enumerationsAndObjectsBecomeWhatStoresHold() throws {
        let high = Sighting.Level.high
        let id = Objects().id("Region", 7)
        let region = Sighting.Region(id)
        let someRegion: Sighting.Region? = region
        let (wide, unsigned): (UInt64, UInt64) = (.max, 5)
        #expect(try converted(#Predicate { $0.level == high }) == FetchPredicate("level == 3"))
        #expect(
            try converted(#Predicate { $0.origin == region }) == FetchPredicate("origin == %@", id))
        #expect(
            try converted(#Predicate { $0.region == someRegion })
                == FetchPredicate("region == %@", id))
        #expect(
            try converted(#Predicate { _ in wide == unsigned }).description.contains(
                "18446744073709551615"))
    }

    @Test func objectsAreComparedByTheirIDs() throws {
        let id = Objects().id("Quake", 7)
        #expect(
            try converted(#Predicate { $0.queryObjectID == id }) == FetchPredicate("SELF == %@", id)
        )
        #expect(
            try converted(#Predicate { $0.region?.queryObjectID == id })
                == FetchPredicate("region == %@", id))
        #expect(
            try converted(#Predicate { $0.tags.contains { $0.queryObjectID == id } })
                == FetchPredicate("ANY tags (SELF == %@)", id))
    }

    @Test func elementsOfCompositesAreSteps() throws {
        #expect(
            try converted(#Predicate { $0.epicentre.latitude > 3 })
                == FetchPredicate("epicentre.latitude > 3.0"))
        #expect(
            try converted(#Predicate { $0.focus?.place == "a" })
                == FetchPredicate("focus.place == 'a'"))
        #expect(try converted(#Predicate { $0.focus == nil }) == FetchPredicate("focus == nil"))
    }

    @Test func propertiesOfCapturedValuesAreReadOnce() throws {
        let filter = Sighting.Filter()
        let other: Sighting.Filter? = filter
        let none: Sighting.Filter? = nil
        let counts = ["a": 4]
        #expect(
            try converted(#Predicate { $0.code == filter.code }) == FetchPredicate("code == 'a'"))
        #expect(
            try converted(#Predicate { $0.note == other?.code }) == FetchPredicate("note == 'a'"))
        #expect(
            try converted(#Predicate { $0.note == none?.code }) == FetchPredicate("note == nil"))
        #expect(
            try converted(#Predicate { $0.reports > filter.limit! })
                == FetchPredicate("reports > 3"))
        #expect(
            try converted(#Predicate { $0.reports > filter.limit ?? 9 })
                == FetchPredicate("reports > 3"))
        #expect(
            try converted(#Predicate { $0.reports > filter.codes.count })
                == FetchPredicate("reports > 2"))
        #expect(
            try converted(#Predicate { $0.code == filter.codes[1] })
                == FetchPredicate("code == 'b'"))
        #expect(
            try converted(#Predicate { $0.reports == counts["a"]! })
                == FetchPredicate("reports == 4"))
        #expect(
            try converted(#Predicate { $0.reports == counts["b", default: 5] })
                == FetchPredicate("reports == 5"))
        #expect(
            try converted(#Predicate { $0.reports == [1, 6].max()! })
                == FetchPredicate("reports == 6"))
        #expect(
            try converted(#Predicate { $0.reports == [1, 6].min()! })
                == FetchPredicate("reports == 1"))
    }

    @Test func aCapturedValueThatCannotBeReadIsRefused() {
        let none: String? = nil
        let error = conversionError(#Predicate { $0.code == none! })
        #expect(error?.code == .unsupportedValue)
        #expect(error?.node == "ForcedUnwrap")
    }

    @Test func aValueThatNoAttributeHasIsRefusedByItsType() {
        let labels = ["x": 1]
        let error = conversionError(#Predicate { _ in labels == labels })
        #expect(error?.code == .unsupportedValue)
        #expect(error?.node == "Value")
        #expect(error?.message.contains("String") == true)
    }

    @Test func constantPredicatesStayConstant() throws {
        #expect(try converted(.true) == .constant(true))
        #expect(try converted(.false) == .constant(false))
        #expect(try converted(#Predicate { _ in true }) == .constant(true))
    }
}
