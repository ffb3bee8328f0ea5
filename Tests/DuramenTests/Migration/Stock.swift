import Duramen
import DuramenStore
import Foundation
import Testing

/// A store whose next version checks values, rewrites rows, moves pairs and makes an index, so that
/// a migration goes through all its phases.
struct Stock {
    let store: VersionedStore

    static let count = 200

    /// Describes a store that is not there yet.
    init(_ kind: StoreKind) { store = VersionedStore(kind) }

    /// Describes the store of another process.
    init(_ kind: String, at location: String) throws {
        store = VersionedStore(try #require(StoreKind(rawValue: kind)), at: location)
    }

    static var old: ManagedObjectModel { get throws { try model(isNew: false) } }
    static var new: ManagedObjectModel { get throws { try model(isNew: true) } }

    private static func model(isNew: Bool) throws -> ManagedObjectModel {
        let photo = AttributeDescription(
            "photo", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
        let number = AttributeDescription(
            "number", isNew ? .integer32 : .integer64, isOptional: true)
        return try ManagedObjectModel([
            EntityDescription(
                name: "Item",
                attributes: [number, photo, .text(isNew ? "label" : "name", was: "name")]
                    + (isNew
                        ? [AttributeDescription("weight", .double, default: .double(1.5))] : []),
                relationships: [
                    isNew
                        ? .toMany("next", destination: "Item", inverse: "previous")
                        : .toOne("next", destination: "Item", inverse: "previous"),
                    .toMany("previous", destination: "Item"),
                ], uniquenessConstraints: isNew ? [["label"]] : [])
        ])
    }

    /// Makes the store with a chain of items, the first one with a large photo.
    func fill() throws {
        try store.open(Self.old) { (context) throws in
            var last: ManagedObject?
            for number in 1...Self.count {
                let item = context.insert(
                    "Item", ["number": number, "name": "n\(number)", "next": last])
                if number == 1 {
                    try item.setValue(Self.photo, forKey: "photo")
                    // The first key is that of the first item.
                    try context.save()
                }
                last = item
            }
            try context.save()
        }
    }

    private static let photo = Data(repeating: 7, count: 200_000)

    /// Expects everything that was filled in, in the words of the next version.
    ///
    /// - Parameter added: Names that old programs have added since.
    func checkMigrated(adding added: [String] = []) throws {
        try store.openUnchanged(Self.new) { (context) throws in
            let items = try context.fetch(.all("Item"))
            #expect(items.count == Self.count + added.count)
            let names = (1...Self.count).map { "n\($0)" } + added
            var labels: Set<String> = []
            for item in items {
                let label = try #require(try item.value(forKey: "label") as? String)
                labels.insert(label)
                #expect(try item.value(forKey: "weight") as? Double == 1.5)
                guard let number = try item.value(forKey: "number") as? Int32 else { continue }
                #expect(label == "n\(number)")
                let next = try #require(try item.value(forKey: "next") as? [ManagedObject])
                let numbers = try next.map { try $0.value(forKey: "number") as? Int32 }
                #expect(numbers == (number == 1 ? [] : [number - 1]))
            }
            #expect(labels == Set(names))
            let first = try context.object("Item", 1)
            #expect(try first.value(forKey: "photo") as? Data == Self.photo)
        }
        let migrations = try store.metadata.migrations
        #expect(try migrations.map(\.target) == [Self.new.versionChecksum])
    }

    /// Names in the store's folder that belong to it, without the store's own name.
    var parts: Set<String> {
        get throws {
            let url = URL(filePath: store.description.location)
            let name = url.lastPathComponent
            return Set(
                try FileManager.default.contentsOfDirectory(
                    atPath: url.deletingLastPathComponent().path
                ).filter { $0.contains(name) }.map { $0.replacing(name, with: "") })
        }
    }
}
