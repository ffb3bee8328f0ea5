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

    private func files(beside path: String, _ isLMDB: Bool) throws -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        // Nobody deletes the locks of an LMDB store, which are taken before anything is looked at.
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
            .filter { !(isLMDB && ($0.hasSuffix(".lock") || $0.hasSuffix("lock.mdb"))) }
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
        #expect(try files(beside: path, kind == .lmdb).isEmpty)

        // A copy without what opening adds.
        try description(folder.file("original")).open(model: Self.other).close()
        let type = description(path).type
        try type.copy(description(folder.file("original")), to: description(path))
        let before = try files(beside: path, kind == .lmdb)
        #expect(
            storeErrorCode { try description(path).open(model: Seismology.model) }
                == .incompatibleModel)
        #expect(try files(beside: path, kind == .lmdb) == before)
        let opened = try description(folder.file("original")).open(model: Self.other)
        let during = try files(beside: path, kind == .lmdb)
        #expect(
            storeErrorCode { try description(path).open(model: Self.other) } == .invalidRequest)
        #expect(try files(beside: path, kind == .lmdb) == during)
        try opened.close()

        // Not a store.
        let text = folder.file("text")
        try writeFile(text, "not a store")
        let all = try files(beside: path, kind == .lmdb)
        #expect(storeErrorCode { try description(text).open(model: Self.other) } == .foreignFile)
        #expect(try files(beside: path, kind == .lmdb) == all)
    }
}
