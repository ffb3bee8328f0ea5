import Duramen
import DuramenSQLite
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// An opening that fails leaves the files as it found them.
@Suite struct FailedOpeningTests {
    private static let other: ManagedObjectModel = testModel([
        EntityDescription(name: "Other", attributes: [AttributeDescription("a", .string)])
    ])

    private func files(beside path: String) throws -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aFailedOpeningLeavesNoFilesBehind(kind: StoreKind) throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        func description(_ path: String) -> PersistentStoreDescription {
            var description = kind.description
            description.location = path
            return description
        }
        // A place where nothing can be made.
        #expect(
            storeErrorCode { try description(path + "/no/such").open(model: Self.other) } != nil)
        #expect(
            storeErrorCode { try description(path).readOnly().open(model: Self.other) }
                == .storeMissing)
        #expect(try files(beside: path).isEmpty)

        // A copy without what opening adds. Making it adds a lock to an LMDB store.
        try description(folder.file("original")).open(model: Self.other).close()
        let type = description(path).type
        try type.copy(description(folder.file("original")), to: description(path))
        try? FileManager.default.removeItem(atPath: path + ".lock")
        let before = try files(beside: path)
        #expect(
            storeErrorCode { try description(path).open(model: Seismology.model) }
                == .incompatibleModel)
        #expect(try files(beside: path) == before)
        let opened = try description(folder.file("original")).open(model: Self.other)
        let during = try files(beside: path)
        #expect(
            storeErrorCode { try description(path).open(model: Self.other) } == .invalidRequest)
        #expect(try files(beside: path) == during)
        try opened.close()

        // Not a store.
        let text = folder.file("text")
        try writeFile(text, "not a store")
        let all = try files(beside: path)
        #expect(storeErrorCode { try description(text).open(model: Self.other) } == .foreignFile)
        #expect(try files(beside: path) == all)
    }
}
