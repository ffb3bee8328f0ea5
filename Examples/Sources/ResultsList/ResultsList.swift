import ArgumentParser
import Duramen
import ExampleOptions
import PackageImport
import ResultsListKit

/// Lists packages by section, live.
@main
struct ResultsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ResultsList",
        abstract: "Lists packages by section, while a background task purges and imports them.",
        discussion: """
            Works on a store that BatchImport made, or else imports the packages of this machine \
            into memory first. Only the store is changed, never the machine. Without a terminal \
            it prints the list and ends.
            """)

    @OptionGroup var source: PackageSource

    @Option(help: ArgumentHelp("Show the packages whose names contain this.", valueName: "text"))
    var filter = ""

    @Flag(help: "Print the list and end.")
    var once = false

    @Flag(help: "Have nothing go on in the background.")
    var still = false

    @MainActor mutating func run() async throws {
        let container = try await source.openFilled()
        let list = try PackageList(container.viewContext)
        if !filter.isEmpty { try list.filter(by: filter) }
        if once || !Terminal.isThere {
            PlainList(list).print()
        } else {
            let work = BackgroundWork(container: container, input: source.input)
            await show(list, beside: still ? nil : work)
        }
        try container.close()
    }

    @MainActor private func show(_ list: PackageList, beside work: BackgroundWork?) async {
        let (events, queue) = AsyncStream<Event>.makeStream()
        let terminal = Terminal(
            onKeys: { keys in for key in keys { queue.yield(.key(key)) } },
            onResize: { queue.yield(.look) }, onEnd: { queue.finish() })
        // On every way out of here; what ends the process elsewhere gives the terminal back too.
        defer { terminal.restore() }
        let background = Task { await work?.run() }
        defer { background.cancel() }
        list.onChange = { queue.yield(.look) }
        var screen = ListScreen(list)
        var program = ListProgram(list)
        queue.yield(.look)
        for await event in events {
            let size = terminal.size
            if case .key(let key) = event,
                case .quit = program.handle(key, pageRows: size.rows - 3)
            {
                return
            }
            terminal.show(
                screen.frame(rows: size.rows, columns: size.columns, status: program.status))
            if list.hasFlashes {
                list.didShowFrame()
                Task {
                    try? await Task.sleep(for: .milliseconds(150))
                    queue.yield(.look)
                }
            }
        }
    }

    private enum Event: Sendable {
        case key(Key)
        /// There is something new to show.
        case look
    }
}
