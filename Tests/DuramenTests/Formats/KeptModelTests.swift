import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation
import StoreTestSupport
import Testing

/// Stores keep the model that they were last opened with, so that nobody has to bring it.
@MainActor
@Suite struct KeptModelTests {
    private let scratch = TemporaryFolder()

    private func store(_ kind: StoreKind) -> PersistentStoreDescription {
        switch kind {
        case .memory: .memory(UUID().uuidString)
        case .sqlite: .sqlite(scratch.file("\(UUID().uuidString).sqlite"))
        case .lmdb: .lmdb(scratch.file("\(UUID().uuidString).lmdb"))
        }
    }

    private func model(_ change: (inout EntityDescription) -> Void = { _ in }) throws
        -> ManagedObjectModel
    {
        var note = EntityDescription(
            name: "Note",
            attributes: [
                AttributeDescription("text", .string, isOptional: true),
                AttributeDescription.codable([String]?.self, name: "labels", identifier: "Labels"),
            ], relationships: [.toOne("answer", destination: "Note")])
        change(&note)
        return try ManagedObjectModel([note])
    }

    private func fill(_ store: PersistentStoreDescription) throws {
        let container = try PersistentContainer.open(model: model(), stores: [store])
        let context = container.viewContext
        let note = context.insert("Note", ["text": "first", "labels": ["a", "b"]])
        _ = context.insert("Note", ["text": "second", "answer": note])
        try context.save()
        try container.close()
    }

    private func kept(_ store: PersistentStoreDescription) throws -> ManagedObjectModel {
        try store.type.storedModel(of: store).model
    }

    @Test(arguments: StoreKind.allCases)
    func aStoreOpensWithTheModelThatItKeeps(kind: StoreKind) throws {
        let store = store(kind)
        try fill(store)
        let container = try PersistentContainer.open(modelOf: store)
        #expect(container.managedObjectModel.versionChecksum == (try model().versionChecksum))
        let context = container.viewContext
        let request = FetchRequest<ManagedObject>(entityName: "Note")
            .where(try FetchPredicate("answer.text == 'first'"))
        let second = try #require(try context.fetch(request).first)
        let first = try #require(try second.value(forKey: "answer") as? ManagedObject)
        if kind == .memory {
            #expect(try first.value(forKey: "labels") as? [String] == ["a", "b"])
        } else {
            let labels = try first.value(forKey: "labels") as? EncodedBytes
            #expect(labels == EncodedBytes(Data(#"["a","b"]"#.utf8)))
            // What is set is stored as it is.
            try first.setValue(EncodedBytes(Data(#"["c"]"#.utf8)), forKey: "labels")
        }
        try first.setValue("changed", forKey: "text")
        try context.save()
        try container.close()
        let again = try PersistentContainer.open(model: model(), stores: [store])
        let notes = try again.viewContext.fetch(
            FetchRequest<ManagedObject>(entityName: "Note")
                .where(try FetchPredicate("text == 'changed'")))
        #expect(
            try notes.map { try $0.value(forKey: "labels") as? [String] }
                == [kind == .memory ? ["a", "b"] : ["c"]])
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func namedTypesAreDecoded(kind: StoreKind) async throws {
        let store = store(kind)
        try fill(store)
        let container = try await PersistentContainer(
            modelOf: store, codableTypes: [CodableType("Labels", [String].self)])
        let labels = try container.viewContext.fetch(
            FetchRequest<ManagedObject>(entityName: "Note")
        ).compactMap { try $0.value(forKey: "labels") as? [String] }
        #expect(labels == [["a", "b"]])
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func whatTheChecksumDoesNotCountIsKeptAnew(kind: StoreKind) throws {
        let store = store(kind)
        try fill(store)
        let changed = try model { note in
            note.userInfo = ["edition": "2"]
            note.attributes[0].defaultValue = .text("none")
        }
        _ = try PersistentContainer.open(model: changed, stores: [store.readOnly()])
        #expect(try kept(store).descriptions[0].userInfo.isEmpty)
        _ = try PersistentContainer.open(model: changed, stores: [store])
        #expect(try kept(store).archived() == changed.archived())
    }

    // The files of the formats from these on were written by builds that keep models.
    @Test(
        arguments: StoreFormatTests.Fixture.all.filter {
            $0.format < ($0.kind == "lmdb" ? 4 : 3)
        })
    func aStoreOfAnEarlierBuildKeepsItsModelOnceItIsWritten(
        fixture: StoreFormatTests.Fixture
    ) throws {
        let path = scratch.file(fixture.name)
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        let store = fixture.store(in: path)
        let error = #expect(throws: StoreError.self) { try kept(store) }
        #expect(error?.code == .modelMissing)
        _ = try PersistentContainer.open(model: Exhibition.model, stores: [store])
        #expect(try kept(store).versionChecksum == Exhibition.model.versionChecksum)
        let findings = try PersistentContainer.open(modelOf: store).verify()
        #expect(findings.isEmpty)
    }

    @Test func aStoreThatIsNotThereIsMissing() throws {
        for kind in [StoreKind.sqlite, .lmdb] {
            let error = #expect(throws: StoreError.self) {
                try PersistentContainer.open(modelOf: store(kind))
            }
            #expect(error?.code == .storeMissing)
        }
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(modelOf: .memory())
        }
        #expect(error?.code == .unsupported)
    }
}
