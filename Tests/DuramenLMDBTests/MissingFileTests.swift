import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Files of values that are missing, in every store that has some.
@Suite struct MissingFileTests {
    let folder = TemporaryFolder()

    /// A store of three large values and a small one, of whose files two are taken away: those of
    /// the first two objects, which have the same bytes, and of the third.
    private func photos(_ kind: FileStore) throws -> PersistentStoreDescription {
        let description = kind.description(folder)
        let store = try description.open(model: ExternalValueTests.model)
        for count in [200, 200, 201, 50] {
            try store.insert(
                "Photo", all: [["image": .binary(Data(repeating: 1, count: count))]])
        }
        try store.close()
        try FileManager.default.removeItem(atPath: kind.values(folder))
        return description.readOnly()
    }

    private func report(_ description: PersistentStoreDescription) throws -> StoreReport {
        let type = try #require(description.type as? any InspectableStoreType)
        // The store keeps no model, and what has files of its own is known from one.
        return try type.report(on: description, model: ExternalValueTests.model, checks: true)
    }

    @Test("A report lists each of them", arguments: FileStore.allCases)
    func eachIsListed(kind: FileStore) throws {
        let missing = try report(photos(kind)).missingFiles
        #expect(missing.map(\.entity) == ["Photo", "Photo", "Photo"])
        #expect(missing.map(\.key).sorted() == [1, 2, 3])
        #expect(Set(missing.map(\.attribute)) == ["image"])
        #expect(Set(missing.map(\.path)).count == 2)
        #expect(missing.allSatisfy { $0.path.hasPrefix(kind.values(folder) + "/") })
    }

    @Test("A report with a model says what the entities have", arguments: FileStore.allCases)
    func theModelIsUsed(kind: FileStore) throws {
        let report = try report(photos(kind))
        #expect(report.entities.map(\.attributes) == [2])
        #expect(report.entities.map(\.relationships) == [0])
        #expect(report.findings.isEmpty)
    }

    @Test("Their values read as null where that is asked for", arguments: FileStore.allCases)
    func theyReadAsNull(kind: FileStore) throws {
        var description = try photos(kind)
        func lengths() throws -> [Int?] {
            let store = try description.open(model: ExternalValueTests.model)
            defer { try? store.close() }
            let photo = try store.entity("Photo")
            let ids = try store.snapshot().objectIDs(StoreQuery(entity: photo.id))
            let attribute = try #require(photo.attributes.first { $0.name == "image" })
            return try store.snapshot().rows(for: ids).map { row in
                guard case .binary(let data) = row.value(attribute.slot, attribute.kind) else {
                    return nil
                }
                return data.count
            }
        }
        #expect(storeErrorCode { try lengths() } == .damagedValue)
        description.opening.missingValuesAreNull = true
        #expect(try lengths() == [nil, nil, nil, 50])
    }

    @Test("A file that was altered is never null", arguments: FileStore.allCases)
    func alteredFilesAreDamage(kind: FileStore) throws {
        var description = kind.description(folder)
        let store = try description.open(model: ExternalValueTests.model)
        try store.insert("Photo", all: [["image": .binary(Data(repeating: 1, count: 200))]])
        try store.close()
        let values = kind.values(folder)
        for file in try FileManager.default.contentsOfDirectory(atPath: values) {
            try writeFile("\(values)/\(file)", "something else")
        }
        description.isReadOnly = true
        description.opening.missingValuesAreNull = true
        let opened = try description.open(model: ExternalValueTests.model)
        defer { try? opened.close() }
        let code = storeErrorCode {
            let ids = try opened.snapshot().objectIDs(
                StoreQuery(entity: opened.entity("Photo").id))
            _ = try opened.snapshot().rows(for: ids)
        }
        #expect(code == .damagedValue)
    }
}
