import Duramen
import DuramenMemory
import PackageModel
import ResultsListKit
import Testing

/// The list behind the screen.
@MainActor
struct PackageListTests {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.open(
            model: PackageGraph.model(), stores: [.memory()])
        let context = container.viewContext
        for (number, name) in ["admin", "libs", "net"].enumerated() {
            let section = Section(context: context)
            section.name = name
            for letter in ["a", "b", "c"].prefix(number + 1) {
                let package = Package(context: context)
                package.identifier = "\(name)-\(letter)"
                package.state = .listed
                package.section = section
            }
        }
        try context.save()
    }

    @Test func theCursorStaysOnItsPackage() throws {
        let list = try PackageList(container.viewContext)
        #expect(list.count == 6 && list.sections.map(\.count) == [1, 2, 3])
        list.moveCursor(to: 4)
        #expect(list.package(at: list.cursor)?.identifier == "net-b")
        let first = try #require(list.package(at: 0))
        container.viewContext.delete(first)
        container.viewContext.processPendingChanges()
        #expect(list.cursor == 3 && list.package(at: 3)?.identifier == "net-b")
        list.jump(bySections: -1)
        #expect(list.package(at: list.cursor)?.identifier == "libs-a")
        list.moveCursor(to: 99)
        #expect(list.cursor == 4)
    }

    @Test func editsAreTakenBackAndFlash() throws {
        let list = try PackageList(container.viewContext)
        var changes = 0
        list.onChange = { changes += 1 }
        try list.toggleFavourite()
        #expect(list.sections.map(\.name) == ["favourites", "libs", "net"])
        #expect(changes == 1 && list.hasFlashes && list.hasChanges)
        try list.undo()
        #expect(list.sections.map(\.name) == ["admin", "libs", "net"])
        for _ in 0..<10 { list.didShowFrame() }
        #expect(!list.hasFlashes)
        list.deletePackage()
        #expect(list.count == 5)
        try list.undo()
        #expect(list.count == 6)
    }

    @Test func aFrameHasTheCursorAndNoMoreLinesThanTheTerminal() throws {
        let list = try PackageList(container.viewContext)
        var screen = ListScreen(list)
        for place in 0..<6 {
            list.moveCursor(to: place)
            let frame = screen.frame(rows: 5, columns: 40, status: "status")
            #expect(frame.components(separatedBy: "\r\n").count == 5)
            #expect(frame.contains("\u{1B}[7m  \(list.package(at: place)?.identifier ?? "-")"))
        }
    }
}
