import Duramen
import Foundation
import StoreTestSupport
import Testing

/// Versions that have shipped, in files.
@Suite struct FrozenModelTests {
    private let folder = TemporaryFolder()
    private var models: String { folder.file("Models") }

    final class Moment: ManagedObject {
        override class var entityDescription: EntityDescription {
            var description = EntityDescription(name: "Moment")
            description.attributes = [
                AttributeDescription("at", .date, default: .date(Date())),
                AttributeDescription("id", .uuid, default: .uuid(UUID())),
            ]
            return description
        }
    }

    @Test("B4: A model that was edited without a new version fails the test that guards it")
    func b4AModelThatWasEditedFailsTheTestThatGuardsIt() throws {
        let first = try People.first.get()
        try FrozenModels.freeze(first, as: "1.9", in: models)
        try FrozenModels(models).verify(first)
        let error = #expect(throws: FrozenModelError.self) {
            try FrozenModels(models).verify(People.second.get())
        }
        #expect(error?.code == .notFrozen)
        #expect(error?.message.contains("'1.9': Person.firstName: attribute added") == true)
        #expect(error?.message.contains("duramen model freeze STORE --name NAME --into") == true)
        // The next version goes under a new name, and numbers count as numbers.
        try FrozenModels.freeze(People.second.get(), as: "1.10", in: models)
        let frozen = try FrozenModels(models)
        #expect(frozen.versions.map(\.name) == ["1.9", "1.10"])
        try frozen.verify(People.second.get())
        #expect(throws: FrozenModelError.self) { try frozen.verify(first) }
        #expect(frozen["1.9"]?.model.versionChecksum == first.versionChecksum)
    }

    @Test func whatIsFrozenIsNeverWrittenAgain() throws {
        let path = try FrozenModels.freeze(People.first.get(), as: "1", in: models)
        let bytes = try Data(contentsOf: URL(filePath: path))
        try FrozenModels.freeze(People.first.get(), as: "1", in: models)
        let error = #expect(throws: FrozenModelError.self) {
            try FrozenModels.freeze(People.second.get(), as: "1", in: models)
        }
        #expect(error?.code == .nameTaken)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test("A file that was edited is refused, wherever the edit is")
    func aFileThatWasEditedIsRefused() throws {
        let path = try FrozenModels.freeze(People.second.get(), as: "1", in: models)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for (old, new) in [
            ("lastName", "surname"), ("\"isOptional\":true", "\"isOptional\":false"),
        ] {
            #expect(text.contains(old))
            try text.replacing(old, with: new).write(
                toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: FrozenModelError.self) { try FrozenModels(models) }
            #expect(error?.code == .unreadable)
            #expect(error?.message.contains(path) == true)
        }
        #expect(throws: FrozenModelError.self) { try FrozenModels(folder.file("none")) }
    }

    @Test func aDefaultThatChangesIsFound() throws {
        let model = try ManagedObjectModel(Moment.self)
        try FrozenModels.freeze(model, as: "1", in: models)
        let error = #expect(throws: FrozenModelError.self) {
            try FrozenModels(models).verify(model)
        }
        #expect(error?.code == .changingDefault)
        #expect(error?.message.contains("Moment.id") == true)
    }

    @Test func aStageTakesAFrozenVersion() throws {
        try FrozenModels.freeze(People.first.get(), as: "1", in: models)
        let reference = try ManagedObjectModelReference(path: models + "/1.duramenmodel")
        #expect(reference.name == "1")
        #expect(reference.versionChecksum == (try People.first.get().versionChecksum))
        let error = #expect(throws: StoreError.self) {
            try ManagedObjectModelReference(path: models + "/2.duramenmodel")
        }
        #expect(error?.code == .modelReferenceNotFound)
    }
}
