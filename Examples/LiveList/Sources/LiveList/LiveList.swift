import ArgumentParser
import Duramen
import ExampleOptions
import Foundation
import Hummingbird
import LiveListKit
import PackageImport

/// Shows packages by section in browsers, live.
@main
struct LiveList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "LiveList",
        abstract: "Shows packages by section in browsers, while a background task changes them.",
        discussion: """
            Works on a store that BatchImport made, or else imports the packages of this machine \
            into memory first. Only the store is changed, never the machine. Open the address that \
            is printed, in as many windows as you like; Ctrl-C ends it.
            """)

    @OptionGroup var source: PackageSource

    @Option(help: "The address to listen at. Who reaches it may delete packages of the store.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen at; 0 for any that is free.")
    var port = 8080

    @Flag(help: "Have nothing go on in the background.")
    var still = false

    func validate() throws {
        guard 0...65_535 ~= port else {
            throw ValidationError("--port takes a number from 0 to 65535, not \(port).")
        }
    }

    @MainActor mutating func run() async throws {
        let container = try await source.openFilled()
        let feed = try ListFeed(container.viewContext)
        let server = ListServer(container: container, feed: feed)
        let host = host
        let application = Application(
            router: server.router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port.map { ":\($0)" } ?? ""
                // Not held back when the output is no terminal.
                let text = "The list is at http://\(host)\(port)/\n"
                FileHandle.standardOutput.write(Data(text.utf8))
            })
        let background = still ? nil : BackgroundWork(container: container, input: source.input)
        let work = Task { await background?.run() }
        defer { work.cancel() }
        try await application.runService()
        try container.close()
    }
}
