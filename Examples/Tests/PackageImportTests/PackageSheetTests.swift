import Duramen
import PackageModel
import Testing

/// Edits of a sheet show when they are saved, and not before.
@MainActor
struct PackageSheetTests {
    @Test func cancelledEditsShowNowhere() async throws {
        let container = try makeContainer()
        try await container.importing(sample)
        let package = try #require(try container.package("mailx"))
        let sheet = try PackageSheet(editing: package.objectID, in: container.viewContext)
        try sheet.file(under: "favourites")
        sheet.package.dependencies.removeAll()
        #expect(sheet.hasChanges && sheet.package.section?.name == "favourites")
        #expect(package.section?.name == "mail" && package.dependencies.count == 2)
        sheet.cancel()
        #expect(!sheet.hasChanges && sheet.package.dependencies.count == 2)
        #expect(sheet.package.section?.name == "mail" && !container.viewContext.hasChanges)
    }

    @Test func stepsAreTakenBackOneByOne() async throws {
        let container = try makeContainer()
        try await container.importing(sample)
        let package = try #require(try container.package("mailx"))
        let sheet = try PackageSheet(editing: package.objectID, in: container.viewContext)
        #expect(sheet.nextUndo == nil)
        try sheet.file(under: "favourites")
        sheet.step("Drop Needs") { $0.dependencies.removeAll() }
        #expect(sheet.nextUndo == "Drop Needs")
        try sheet.undo()
        #expect(sheet.package.dependencies.count == 2)
        #expect(sheet.package.section?.name == "favourites")
        #expect(sheet.nextUndo == "File Under favourites" && sheet.nextRedo == "Drop Needs")
        try sheet.undo()
        #expect(sheet.package.section?.name == "mail" && !sheet.hasChanges)
        try sheet.redo()
        try sheet.save()
        #expect(package.section?.name == "favourites" && package.dependencies.count == 2)
    }

    @Test func savedEditsReachTheContextBelowAndThenTheStore() async throws {
        let container = try makeContainer()
        try await container.importing(sample)
        let package = try #require(try container.package("mailx"))
        let sheet = try PackageSheet(editing: package.objectID, in: container.viewContext)
        try sheet.file(under: "favourites")
        try sheet.save()
        #expect(package.section?.name == "favourites" && package.section?.isInserted == true)
        let reader = container.makeContext()
        let stored = try reader.existingObject(with: package.objectID, as: Package.self)
        #expect(stored.section?.name == "mail")
        try container.viewContext.save()
        try reader.refresh(stored, mergeChanges: false)
        withExtendedLifetime(reader) {
            #expect(stored.section?.name == "favourites")
            #expect(sheet.package.section?.objectID == stored.section?.objectID)
        }
    }
}
