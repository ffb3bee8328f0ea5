import ArgumentParser
import Duramen
import ExampleOptions
import ExampleSupport
import PackageModel

/// Edits a package in a scratch pad: once in vain, and once for good, with a step too many.
@main
struct EditSheet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "EditSheet",
        abstract: "Edits a package in a child context, and shows who sees the edits when.",
        discussion: """
            Works on a store that BatchImport made, or else imports the packages of this machine \
            into memory first. Only the store is changed, never the machine.
            """)

    @OptionGroup var source: PackageSource

    @Option(help: ArgumentHelp("Edit this package.", valueName: "name"))
    var package = "bash"

    @Option(help: ArgumentHelp("File it under this section.", valueName: "name"))
    var section = "favourites"

    @MainActor mutating func run() async throws {
        let container = try await source.openFilled()
        let context = container.viewContext
        let name = package
        let found = try context.fetch(FetchRequest<Package>().where { $0.identifier == name })
        guard let package = found.first else {
            print("There is no package '\(name)'. Name another one with --package.")
            return
        }

        let sheet = try PackageSheet(editing: package.objectID, in: context)
        try edit(sheet)
        try show("The sheet is edited", sheet, container)
        try takeBack(sheet)
        try show("Two steps are taken back and one made again", sheet, container)
        sheet.cancel()
        try show("The edits are cancelled", sheet, container)
        try edit(sheet)
        try sheet.save()
        try show("Edited again, and the sheet is saved", sheet, container)
        try context.save()
        try show("The view context is saved", sheet, container)
        try container.close()
    }

    private func edit(_ sheet: PackageSheet) throws {
        try sheet.file(under: section)
        sheet.step("Change Homepage") { $0.homepage = "https://example.org/\(self.package)" }
        sheet.step("Drop Needs") { $0.dependencies.removeAll() }
    }

    private func takeBack(_ sheet: PackageSheet) throws {
        for _ in 0..<2 {
            print("Undo \(sheet.nextUndo ?? "nothing")")
            try sheet.undo()
        }
        print("Redo \(sheet.nextRedo ?? "nothing")")
        try sheet.redo()
    }

    /// Prints the package as each of the three has it.
    @MainActor private func show(
        _ moment: String, _ sheet: PackageSheet, _ container: PersistentContainer
    ) throws {
        let reader = container.makeContext()
        var table = Table([
            Table.Column(moment, maximumWidth: 40), Table.Column("Section"),
            Table.Column("Needs", .trailing), Table.Column("Homepage", maximumWidth: 40),
        ])
        let id = sheet.package.objectID
        let seen = try [
            ("the sheet shows", sheet.package),
            ("the view context shows", container.viewContext.object(with: id, as: Package.self)),
            ("the store has", reader.existingObject(with: id, as: Package.self)),
        ]
        // A context that is gone takes its objects along.
        withExtendedLifetime(reader) {
            for (who, package) in seen {
                table.append([
                    who, package.section?.name ?? "-", "\(package.dependencies.count)",
                    package.homepage ?? "-",
                ])
            }
        }
        print("\(table)\n")
    }
}
