import DuramenModel
import Foundation
import Testing

struct DefaultTests {
    static let right: [(AttributeType, StoredValue)] = [
        (.integer16, .integer(-32_768)), (.integer16, .integer(32_767)),
        (.integer32, .integer(-2_147_483_648)), (.integer32, .integer(2_147_483_647)),
        (.integer64, .integer(.min)), (.integer64, .integer(.max)),
        (.double, .double(.infinity)), (.double, .double(-.greatestFiniteMagnitude)),
        (.float, .double(Double(Float.greatestFiniteMagnitude))), (.float, .double(-.infinity)),
        (.decimal, .decimal(.greatestFiniteMagnitude)), (.string, .text("")),
        (.boolean, .boolean(false)), (.date, .date(.distantPast)), (.binaryData, .binary(Data())),
        (.uuid, .uuid(UUID())), (.uri, .uri("https://example.org/é?a=b#c")),
        (.uri, .uri("relative")),
    ]

    static let wrong: [(AttributeType, StoredValue)] = [
        (.integer16, .integer(32_768)), (.integer16, .integer(-32_769)),
        (.integer32, .integer(2_147_483_648)), (.integer32, .integer(-2_147_483_649)),
        (.integer64, .double(1)), (.integer64, .boolean(true)), (.double, .double(.nan)),
        (.double, .integer(1)), (.float, .double(.nan)), (.float, .double(.signalingNaN)),
        (.float, .double(1e39)), (.float, .double(-1e39)), (.decimal, .decimal(.nan)),
        (.decimal, .double(1)), (.string, .integer(1)), (.string, .uri("a")), (.uri, .text("a")),
        (.uri, .uri("")), (.boolean, .integer(1)),
        (.date, .date(Date(timeIntervalSinceReferenceDate: .nan))), (.date, .double(0)),
        (.binaryData, .text("a")), (.uuid, .text("a")),
        (.string, .objectID(.temporary(entity: EntityHandle(name: "Quake")))),
    ]

    @Test(arguments: right.indices)
    func aValueOfTheTypeAndItsRangeIsKept(index: Int) throws {
        let (type, value) = Self.right[index]
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Quake", attributes: [AttributeDescription("a", type, default: value)])
        ])
        #expect(model.entities[0].attributes[0].defaultValue == value)
    }

    @Test func aDefaultOfAFloatIsRoundedToOne() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Quake",
                attributes: [AttributeDescription("a", .float, default: .double(0.1))])
        ])
        let rounded = StoredValue.double(Double(Float(0.1)))
        #expect(model.entities[0].attributes[0].defaultValue == rounded)
    }

    @Test(arguments: wrong.indices)
    func aValueOfAnotherTypeOrRangeIsRefused(index: Int) {
        let (type, value) = Self.wrong[index]
        #expect(
            findings(AttributeDescription("a", type, default: value))
                == [Finding(.invalidDefault, "Quake", "a")])
    }

    @Test func nullFitsEveryType() {
        for type in AttributeType.supported { #expect(type.problem(with: .null) == nil) }
    }

    @Test func messagesNameNoValues() throws {
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Quake",
                    attributes: [AttributeDescription("a", .integer16, default: .integer(987_654))])
            ])
        }
        #expect(!error.description.contains("987654"))
    }
}
