import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct ValueTests {
    @Test func everyTypeComesBackAsItWasSent() throws {
        let connection = try TestServer.connection()
        let uuid = UUID()
        let parameters: [Parameter] = [
            .bigint(.min), .bigint(.max), .integer(.min), .integer(.max), .smallint(.min),
            .smallint(.max), .boolean(true), .boolean(false), .double(-.infinity),
            .double(.leastNonzeroMagnitude),
            .double(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(-0.1),
            .text("grüße \u{1} 🙂"), .text(""), .bytea([0, 1, 255]), .bytea([]), .uuid(uuid),
            .numeric(Decimal(string: "-12345678901234567890.00012") ?? 0), .bigints([1, -1, .max]),
            .bigints([]), .texts(["a", "", "ü"]), .null(.text), .null(.bigintArray),
        ]
        for parameter in parameters {
            let statement = Statement("SELECT $1::\(parameter.type.name)")
            let result = try connection.run(statement, [parameter])
            #expect(result.type(ofColumn: 0) == parameter.type)
            #expect(result.isNull(0, 0) == (parameter.bytes == nil))
            if let bytes = parameter.bytes { #expect(Array(result.bytes(0, 0)) == bytes) }
        }
    }

    @Test func theServerReadsWhatWeMean() throws {
        let connection = try TestServer.connection()
        let uuid = UUID()
        let pairs: [(Parameter, String)] = [
            (.bigint(-7), "-7"), (.double(0.1), "0.1"), (.boolean(true), "true"),
            (.uuid(uuid), uuid.uuidString.lowercased()), (.bytea([0, 171]), "\\x00ab"),
            (.numeric(Decimal(string: "1234.5") ?? 0), "1234.5"),
            (.numeric(Decimal(string: "-0.00012") ?? 0), "-0.00012"),
            (.numeric(Decimal(string: "12000000") ?? 0), "12000000"), (.numeric(0), "0"),
            (.bigints([3, 4]), "{3,4}"), (.texts(["a b", "c"]), "{\"a b\",c}"),
        ]
        for (parameter, text) in pairs {
            let statement = Statement("SELECT ($1::\(parameter.type.name))::text")
            #expect(try connection.run(statement, [parameter]).text(0, 0) == text)
        }
    }

    @Test func arraysOfEveryTypeAreUnnested() throws {
        let connection = try TestServer.connection()
        let elements: [Parameter] = [
            .bigint(5), .integer(6), .smallint(7), .boolean(true), .double(1.5), .real(2.5),
            .text("t"), .bytea([9]), .uuid(UUID()), .numeric(Decimal(string: "0.25") ?? 0),
        ]
        for element in elements {
            var array = ArrayBuilder(element.type)
            array.append(element)
            array.appendNull()
            array.append(element)
            let parameter = array.finish()
            #expect(parameter.type == element.type.array)
            #expect(parameter.type.element == element.type)
            let result = try connection.run(
                Statement("SELECT e FROM unnest($1::\(parameter.type.name)) AS a(e)"), [parameter])
            #expect(result.rowCount == 3)
            #expect(result.isNull(1, 0))
            #expect(Array(result.bytes(0, 0)) == element.bytes)
            #expect(Array(result.bytes(2, 0)) == element.bytes)
            let sent = try connection.run(
                Statement("SELECT $1::\(parameter.type.name)"), [parameter])
            let read = try #require(BinaryValue.elements(sent.bytes(0, 0)))
            #expect(read.map { $0.map(Array.init) } == [element.bytes, nil, element.bytes])
        }
    }

    @Test func aNumberThatIsNoDecimalIsNotRounded() throws {
        let connection = try TestServer.connection()
        let numbers = [
            "1e200", "1e-200", "'NaN'", "'Infinity'",
            "123456789012345678901234567890123456789012345",
        ]
        for number in numbers {
            let result = try connection.run(Statement("SELECT \(number)::numeric"))
            #expect(BinaryValue.decimal(result.bytes(0, 0)) == nil, "\(number)")
        }
        let zeros = try connection.run(
            Statement("SELECT 99999999999999999999999999999999999999.00000000000000000000::numeric")
        )
        #expect(
            BinaryValue.decimal(zeros.bytes(0, 0))
                == Decimal(string: String(repeating: "9", count: 38)))
    }

    @Test func randomDecimalsAreEqualOnTheServer() throws {
        let connection = try TestServer.connection()
        var random = SplitMix64(seed: randomSeed())
        for _ in 0..<repetitions(200) {
            let digits = (0..<Int.random(in: 1...38, using: &random))
                .map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let exponent = Int.random(in: -60...60, using: &random)
            let decimal = Decimal(
                sign: .minus, exponent: exponent,
                significand: try #require(Decimal(string: digits)))
            let result = try connection.run(
                Statement("SELECT $1::numeric = $2::text::numeric, $1::numeric"),
                [.numeric(decimal), .text("-\(digits)e\(exponent)")])
            #expect(result.bool(0, 0) == true, "\(digits)e\(exponent)")
            #expect(BinaryValue.decimal(result.bytes(0, 1)) == decimal)
        }
    }

    @Test func theServerOrdersEscapedTextAsItsBytes() throws {
        let connection = try TestServer.connection()
        var random = SplitMix64(seed: randomSeed())
        let alphabet = ["\0", "\u{1}", "\u{2}", "a", "é", "🙂"]
        let texts = (0..<repetitions(300)).map { _ in
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &random)]
            }.joined()
        }
        var array = ArrayBuilder(.text)
        for text in texts {
            array.append(bytes: Array(text.utf8).withUnsafeBytes { TextEscaping.escape($0) })
        }
        let result = try connection.run(
            Statement("SELECT t FROM unnest($1::text[]) AS a(t) ORDER BY t COLLATE \"C\""),
            [array.finish()])
        let ordered = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect((0..<result.rowCount).map { TextEscaping.unescape(result.bytes($0, 0)) } == ordered)
    }
}
