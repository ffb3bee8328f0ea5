import Duramen
import Foundation
import Testing

/// Rules over the values of attributes, checked by every save.
@MainActor struct RuleTests {
    private func context(_ attributes: [AttributeDescription]) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel([
            EntityDescription(name: "Thing", attributes: attributes)
        ])
        return try StoreKind.memory.container(model).viewContext
    }

    /// The codes with which a save refuses an object with a value; empty when it is saved.
    private func codes(
        _ value: Any?, _ attribute: AttributeDescription
    ) throws -> [ValidationError.Code] {
        let context = try context([attribute])
        _ = context.insert("Thing", ["a": value])
        do {
            try context.save()
            return []
        } catch let error as ValidationError {
            #expect(error.failures.allSatisfy { $0.property == "a" })
            return error.failures.map(\.code)
        }
    }

    nonisolated static let numbers: [(AttributeType, StoredValue, StoredValue, [any Sendable])] = [
        (.integer16, .integer(-5), .integer(5), [-6, -5, 5, 6]),
        (.integer32, .integer(-5), .integer(5), [-6, -5, 5, 6]),
        (
            .integer64, .integer(.min + 1), .integer(.max - 1),
            [
                Int64.min, Int64.min + 1, Int64.max - 1, Int64.max,
            ]
        ),
        (.double, .double(-0.5), .double(0.5), [-0.5.nextUp - 1, -0.5, 0.5, 0.5.nextUp]),
        (
            .float, .double(-0.5), .double(0.5),
            [Float(-0.75), Float(-0.5), Float(0.5), Float(0.75)]
        ),
        (
            .decimal, .decimal(Decimal(sign: .plus, exponent: -1, significand: 1)), .decimal(2),
            [
                Decimal(sign: .plus, exponent: -2, significand: 9),
                Decimal(sign: .plus, exponent: -1, significand: 1), Decimal(2),
                Decimal(sign: .plus, exponent: -1, significand: 21),
            ]
        ),
    ]

    @Test(arguments: numbers.indices)
    func aNumberLiesBetweenItsLimits(index: Int) throws {
        let (type, minimum, maximum, values) = Self.numbers[index]
        var attribute = AttributeDescription("a", type)
        attribute.rules.minimum = minimum
        attribute.rules.maximum = maximum
        #expect(try codes(values[0], attribute) == [.numberTooSmall])
        #expect(try codes(values[1], attribute) == [])
        #expect(try codes(values[2], attribute) == [])
        #expect(try codes(values[3], attribute) == [.numberTooLarge])
    }

    @Test func aDateLiesBetweenItsLimits() throws {
        let date = { Date(timeIntervalSinceReferenceDate: $0) }
        let attribute = AttributeDescription("a", .date)
            .limited(Date.self, minimum: date(0), maximum: date(10))
        #expect(try codes(date(-1), attribute) == [.dateTooSoon])
        #expect(try codes(date(0), attribute) == [])
        #expect(try codes(date(10), attribute) == [])
        #expect(try codes(date(10.5), attribute) == [.dateTooLate])
    }

    @Test func aTextHasALengthInUnicodeScalars() throws {
        let attribute = AttributeDescription("a", .string)
            .limited(minimumLength: 2, maximumLength: 3)
        #expect(try codes("", attribute) == [.stringTooShort])
        #expect(try codes("\u{E9}", attribute) == [.stringTooShort])
        // One character of two scalars, one scalar of four bytes.
        #expect(try codes("e\u{301}", attribute) == [])
        #expect(try codes("\u{1F30B}\u{1F30B}", attribute) == [])
        #expect(try codes("abcd", attribute) == [.stringTooLong])
        let uri = AttributeDescription("a", .uri).limited(maximumLength: 10)
        #expect(try codes(URL(string: "https://example.org"), uri) == [.stringTooLong])
    }

    @Test func aTextMatchesItsPatternFromEndToEnd() throws {
        let attribute = AttributeDescription("a", .string).limited(pattern: "[a-z]{2}[0-9]+|x")
        #expect(try codes("us7000", attribute) == [])
        #expect(try codes("x", attribute) == [])
        #expect(try codes("us7000 ", attribute) == [.stringPatternMatching])
        #expect(try codes("xx", attribute) == [.stringPatternMatching])
        #expect(try codes("", attribute) == [.stringPatternMatching])
        let optional = AttributeDescription("a", .string).limited(pattern: "()")
        #expect(try codes("", optional) == [])
    }

    @Test func aTextOfAWrongLengthIsNotMatched() throws {
        // Matching would take time exponential in the length.
        let attribute = AttributeDescription("a", .string)
            .limited(maximumLength: 10, pattern: "(a+)+b")
        #expect(try codes(String(repeating: "a", count: 60), attribute) == [.stringTooLong])
        #expect(try codes("aab", attribute) == [])
    }

    @Test func nothingKeepsEveryRule() throws {
        let attribute = AttributeDescription("a", .string, isOptional: true)
            .limited(minimumLength: 1, pattern: "x")
        #expect(try codes(nil, attribute) == [])
        let number = AttributeDescription("a", .integer64, isOptional: true)
            .limited(Int.self, minimum: 1)
        #expect(try codes(nil, number) == [])
    }

    @Test func severalFailuresComeTogether() throws {
        let context = try context([
            AttributeDescription("code", .string).limited(maximumLength: 2),
            AttributeDescription("magnitude", .double).limited(Double.self, maximum: 10),
            AttributeDescription("name", .string),
        ])
        let thing = context.insert("Thing", ["code": "abc", "magnitude": 11.0])
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.coreDataCode == 1560)
        #expect(
            error.failures.map(\.code.rawValue).sorted()
                == [1570, 1610, 1660])
        #expect(error.failures.allSatisfy { $0.objectID == thing.objectID })
        // Values are no part of messages.
        #expect(!"\(error)".contains("abc"))
        try thing.setValue("ab", forKey: "code")
        try thing.setValue("name", forKey: "name")
        let one = try #require(throws: ValidationError.self) { try context.save() }
        #expect(one.coreDataCode == 1610)
        try thing.setValue(10.0, forKey: "magnitude")
        try context.save()
        try thing.setValue(10.5, forKey: "magnitude")
        #expect(throws: ValidationError.self) { try context.save() }
    }

    @Test func rulesOfASuperclassHoldBelow() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Base",
                attributes: [AttributeDescription("a", .integer64).limited(Int.self, maximum: 1)]),
            EntityDescription(name: "Derived", superentity: "Base"),
        ])
        let context = try StoreKind.memory.container(model).viewContext
        _ = context.insert("Derived", ["a": 2])
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.coreDataCode == 1610)
    }

    @Test func conditionsHoldForTheValue() throws {
        let attribute = AttributeDescription("a", .string, isOptional: true)
            .validated(by: "SELF BEGINSWITH 'A-'", warning: "codes begin with A-")
            .validated(by: "length:(SELF) < 6")
        #expect(try codes("A-12", attribute).isEmpty)
        #expect(try codes(nil, attribute).isEmpty)
        #expect(try codes("B-12", attribute) == [.invalidValue])
        #expect(try codes("A-1234567", attribute) == [.invalidValue])
        let numbers = AttributeDescription("a", .integer64).validated(
            by: "modulus:by:(SELF, 2) == 0")
        #expect(try codes(4, numbers).isEmpty)
        #expect(try codes(5, numbers) == [.invalidValue])
        let context = try context([attribute])
        _ = context.insert("Thing", ["a": "B"])
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.failures.first?.message == "codes begin with A-")
    }

    @Test(arguments: ["SELF ==", "SELF == $x"])
    func whatIsNoConditionIsRefusedWhenAContainerIsMade(_ format: String) throws {
        let error = #expect(throws: ModelError.self) {
            try context([AttributeDescription("a", .string).validated(by: format)])
        }
        #expect(error?.mistakes.map(\.code) == [.invalidRule])
    }
}
