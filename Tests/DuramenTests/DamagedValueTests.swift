import Duramen
import Foundation
import Testing

/// What a context makes of a value whose file is gone.
@Suite struct DamagedValueTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Album",
                relationships: [.toMany("photos", destination: "Photo", inverse: "album")]),
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("image", .binaryData, isOptional: true)
                        .externallyStored(),
                ], relationships: [.toOne("album", destination: "Album")]),
        ])
    }

    /// A container with twenty photos of an album, the file of one of which is gone.
    private func damagedContainer(_ kind: StoreKind) throws -> PersistentContainer {
        let description = kind.description.largestInlineValue(bytes: 100)
        let container = try PersistentContainer.open(model: Self.model(), stores: [description])
        try container.newBackgroundContext().performAndWait { context in
            let album = context.insert("Album")
            for number in 0..<20 {
                let image = Data(repeating: UInt8(number), count: 200)
                _ = context.insert(
                    "Photo", ["number": Int64(number), "album": album, "image": image])
            }
            try context.save()
        }
        try removeFile(of: Data(repeating: 7, count: 200), in: valueFolder(kind, description))
        return container
    }

    private func valueFolder(_ kind: StoreKind, _ description: PersistentStoreDescription) -> URL {
        let store = URL(filePath: description.location)
        if kind == .lmdb { return store.appending(path: "values") }
        let support = ".\(store.lastPathComponent)_SUPPORT/_DURAMEN_DATA"
        return store.deletingLastPathComponent().appending(path: support)
    }

    private func removeFile(of value: Data, in folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        let file = try #require(try files.first { try Data(contentsOf: $0) == value })
        try FileManager.default.removeItem(at: file)
    }

    @Test(
        "Others are fetched, and the object reports what is missing",
        arguments: [StoreKind.sqlite, .lmdb])
    func fetchesGiveTheOthers(kind: StoreKind) throws {
        let container = try damagedContainer(kind)
        defer { try? container.close() }
        try container.newBackgroundContext().performAndWait { context in
            let photos = try context.fetch(.all("Photo"))
            #expect(photos.count == 20)
            for (number, photo) in photos.enumerated() where number != 7 {
                #expect(try photo.value(forKey: "number") as? Int64 == Int64(number))
                #expect(try (photo.value(forKey: "image") as? Data)?.first == UInt8(number))
            }
            check(photos[7])
        }
    }

    @MainActor
    @Test(
        "Others are fetched off the owner, and the object reports what is missing",
        arguments: [StoreKind.sqlite, .lmdb])
    func fetchesOffOwnerGiveTheOthers(kind: StoreKind) async throws {
        let container = try damagedContainer(kind)
        defer { try? container.close() }
        let context = container.viewContext
        let photos = try await context.fetchOffOwner(.all("Photo"))
        #expect(photos.count == 20)
        for (number, photo) in photos.enumerated() where number != 7 {
            #expect(try photo.value(forKey: "number") as? Int64 == Int64(number))
        }
        check(photos[7])
        context.reset()
        var request = FetchRequest<ManagedObject>(entityName: "Album")
        request.relationshipKeyPathsForPrefetching = ["photos"]
        let album = try #require(try await context.fetchOffOwner(request).first)
        let prefetched = try #require(try album.value(forKey: "photos") as? [ManagedObject])
        #expect(prefetched.count { $0.isFault } == 1)
    }

    @Test(
        "Others of a group of faults are read, and the object reports what is missing",
        arguments: [StoreKind.sqlite, .lmdb])
    func faultsGiveTheOthers(kind: StoreKind) throws {
        let container = try damagedContainer(kind)
        defer { try? container.close() }
        try container.newBackgroundContext().performAndWait { context in
            let album = try #require(try context.fetch(.all("Album")).first)
            let photos = try #require(try album.value(forKey: "photos") as? [ManagedObject])
            var numbers: [Int64] = []
            for photo in photos {
                do {
                    try photo.load()
                    numbers.append(try #require(photo.value(forKey: "number") as? Int64))
                } catch {
                    check(photo)
                }
            }
            #expect(numbers.count == 19 && !numbers.contains(7))
        }
    }

    private func check(_ photo: ManagedObject) {
        do {
            try photo.load()
            Issue.record("the object without its value's file was read")
        } catch {
            #expect((error as? StoreError)?.code == .damagedValue)
            #expect((error as? StoreError)?.objectID == photo.objectID)
        }
    }
}
