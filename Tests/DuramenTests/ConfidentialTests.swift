import Duramen
import Foundation
import Testing

/// Stored values never show in errors and descriptions, and confidential ones not even where the
/// log of statements is told to show values.
@Suite struct ConfidentialTests {
    static let marker = "s3cr3t-m4rk3r"

    private static func model(isConfidential: Bool) throws -> ManagedObjectModel {
        var code = AttributeDescription("code", .string)
        code.isConfidential = isConfidential
        return try ManagedObjectModel([
            EntityDescription(
                name: "Account",
                attributes: [
                    code, AttributeDescription("number", .integer16, isOptional: true),
                    AttributeDescription("scan", .binaryData, isOptional: true)
                        .externallyStored(),
                ], uniquenessConstraints: [["code"]])
        ])
    }

    /// Comes by errors of many kinds with the marker among the values, and prints all of them.
    static func work(_ kind: StoreKind, isConfidential: Bool) throws {
        let description = kind.description.largestInlineValue(bytes: 10)
        let container = try PersistentContainer.open(
            model: model(isConfidential: isConfidential), stores: [description])
        defer { try? container.close() }
        let context = container.makeContext()
        let other = container.makeContext()
        let scan = Data(marker.utf8)
        let account = context.insert("Account", ["code": marker, "scan": scan])
        try context.save()
        // Somebody else changes it, and then deletes it.
        let same = try #require(try other.fetch(.all("Account")).first)
        try same.setValue(marker + "2", forKey: "code")
        try other.save()
        try account.setValue(marker + "3", forKey: "code")
        report { try context.save() }
        context.rollback()
        // Unique twice, in the store and among the new ones.
        _ = context.insert("Account", ["code": marker + "2", "scan": scan])
        _ = context.insert("Account", ["code": marker + "4"])
        _ = context.insert("Account", ["code": marker + "4"])
        report { try context.save() }
        context.rollback()
        // Missing, of another type, and out of range.
        let wrong = context.insert("Account")
        report { try wrong.setValue(scan, forKey: "code") }
        report { try wrong.setValue(marker, forKey: "number") }
        report { try wrong.setValue(marker, forKey: marker.count > 1 ? "unknown" : "") }
        report { try wrong.setValue(Int64(1) << 40, forKey: "number") }
        report { try context.save() }
        print(wrong, same, account, context.insertedObjects)
        context.rollback()
        // Conditions that do not fit.
        for (path, value) in [
            ("number", StoredValue.text(StoredText(marker))), ("scan", .text(StoredText(marker))),
            ("unknown", .text(StoredText(marker))), ("code", .binary(scan)),
        ] {
            let request = FetchRequest<ManagedObject>.all("Account").where(
                .keyPath(path, .equal, value))
            report { try context.fetch(request) }
        }
        // Conditions that do.
        for path in ["code", "scan"] {
            let value: StoredValue = path == "code" ? .text(StoredText(marker)) : .binary(scan)
            _ = try context.fetch(.all("Account").where(.keyPath(path, .notEqual, value)))
        }
        // The object is gone.
        other.delete(same)
        try other.save()
        report { try context.existingObject(with: same.objectID) }
    }

    private static func report<R>(_ body: () throws -> R) {
        do {
            _ = try body()
        } catch {
            print(error, error.localizedDescription, String(reflecting: error))
        }
    }

    private static let levels = [0, 1, 2, 3, 4]

    @Test(
        "No error, description or log shows a confidential value, at any level",
        arguments: levels)
    func nothingShowsConfidentialValues(level: Int) async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [level = level as Int] in
            setenv("DURAMEN_SQL_DEBUG", "\(level)", 1)
            for kind in StoreKind.allCases {
                try ConfidentialTests.work(kind, isConfidential: true)
            }
        }
        let output = try #require(result)
        #expect(!contains(output, Self.marker))
        // As bytes are printed, by the engine or as an array.
        #expect(!contains(output, Self.marker.utf8.map { String(format: "%02X", $0) }.joined()))
        #expect(!contains(output, Self.marker.utf8.map { "\($0)" }.joined(separator: ", ")))
        #expect(contains(output, "Account"))
    }

    @Test("Without a confidential attribute the log shows values at level 3, and errors never")
    func theLogShowsOtherValues() async throws {
        for level in [2, 3] {
            let result = await #expect(
                processExitsWith: .success,
                observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [level = level as Int] in
                setenv("DURAMEN_SQL_DEBUG", "\(level)", 1)
                try ConfidentialTests.work(.sqlite, isConfidential: false)
            }
            let output = try #require(result)
            #expect(contains(output.standardErrorContent, Self.marker) == (level == 3))
            #expect(!contains(output.standardOutputContent, Self.marker))
        }
    }

    private func contains(_ result: ExitTest.Result, _ text: String) -> Bool {
        contains(result.standardOutputContent, text) || contains(result.standardErrorContent, text)
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(text)
    }
}
