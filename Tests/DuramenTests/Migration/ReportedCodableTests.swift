import Duramen
import DuramenStore
import StoreTestSupport
import Testing

/// Reports about encoded values whose type changes its shape.
@Suite struct ReportedCodableTests {
    static let kinds = StoreKind.allCases

    private struct Old: Codable, Sendable { var red = 1 }
    private struct Wider: Codable, Sendable {
        var red: Int
        var blue: Int?
    }
    private struct Other: Codable, Sendable { var green: String }

    private func model<T: Codable & Sendable>(
        _ type: T.Type, _ identifier: String
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Paint",
                attributes: [.codable(T?.self, name: "palette", identifier: identifier)])
        ])
    }

    @Test(
        "B8: A type that reads no old value is met when the store is opened, if that is asked for",
        arguments: kinds)
    func b8ValuesAreDecodedFirst(kind: StoreKind) throws {
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        let old = try model(Old.self, "Old")
        try store.open(old) { (context) throws in
            for palette in [Old(), nil] {
                _ = try context.insert("Paint", [:]).setValue(palette, forKey: "palette")
            }
            try context.save()
        }
        let sums = try store.checksums(old)
        let error = #expect(throws: StoreError.self) {
            try store.open(model(Other.self, "Other"), migrating: { $0.checksEncodedValues = true })
            { _ in }
        }
        #expect(error?.code == .valuesDoNotFit)
        #expect(error?.message.contains("'Paint.palette' of the object with key 1") == true)
        #expect(try store.checksums(old) == sums)
        // What reads them is fine.
        try store.open(model(Wider.self, "Wider"), migrating: { $0.checksEncodedValues = true }) {
            (context) throws in
            let palette = try context.object("Paint", 1).value(forKey: "palette") as? Wider
            #expect(palette?.red == 1 && palette?.blue == nil)
        }
        // Unasked, whoever reads such a value learns of it.
        try store.open(model(Other.self, "Other")) { (context) throws in
            let error = #expect(throws: ContextError.self) {
                try context.object("Paint", 1).value(forKey: "palette")
            }
            #expect(error?.code == .damagedValue)
        }
    }
}
