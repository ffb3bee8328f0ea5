import Foundation

/// A headless browser that is told what to do over a pipe.
///
/// The protocol is that of its developer tools: JSON texts, each with a zero byte behind it, over
/// file descriptors 3 and 4.
@MainActor
final class Chromium {
    /// Where the browser is; nil on a machine without one.
    nonisolated static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium", "chromium-browser", "google-chrome"]
        return folders.lazy.flatMap { folder in names.map { "\(folder)/\($0)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let process = Process()
    private let folder: URL
    private let commands: FileHandle
    private let answers: AsyncStream<Data>
    private var number = 0
    private var session: String?

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Starts the browser at `path`, with one empty page.
    init(_ path: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID())")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pipes = ["commands", "answers"].map { folder.appending(path: $0).path }
        for pipe in pipes { mkfifo(pipe, 0o600) }
        // For reading and writing, so that neither side waits for the other to open it.
        let handles = try pipes.map { pipe in
            guard let handle = FileHandle(forUpdatingAtPath: pipe) else {
                throw Failure(description: "no pipe at \(pipe)")
            }
            return handle
        }
        commands = handles[0]
        answers = Self.texts(from: handles[1])
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            exec "$0" --headless --no-sandbox --disable-gpu --no-first-run --remote-debugging-pipe \
            --user-data-dir="$3" about:blank 3<"$1" 4>"$2" 2>/dev/null
            """, path, pipes[0], pipes[1], folder.appending(path: "profile").path,
        ]
        try process.run()
        let target = try await send("Target.createTarget", ["url": "about:blank"])
        let attached = try await send(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String
    }

    /// Ends the browser.
    func end() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Goes to an address.
    func open(_ url: URL) async throws {
        _ = try await send("Page.navigate", ["url": url.absoluteString])
    }

    /// What an expression of the page's script is; a promise is awaited.
    func evaluate(_ expression: String) async throws -> Any? {
        let answer = try await send(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true])
        if let details = answer["exceptionDetails"] { throw Failure(description: "\(details)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Waits until a condition holds in the page, which is asked whenever the page changes.
    func wait(until condition: String) async throws {
        _ = try await evaluate(
            """
            new Promise((done) => {
              const observer = new MutationObserver(look);
              function look() {
                if (!(\(condition))) return;
                observer.disconnect();
                done(true);
              }
              observer.observe(document, {
                attributes: true, characterData: true, childList: true, subtree: true });
              look();
            })
            """)
    }

    private func send(_ method: String, _ parameters: [String: Any]) async throws -> [String: Any] {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        try commands.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        for await text in answers {
            let answer = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
            guard answer["id"] as? Int == number else { continue }
            guard let result = answer["result"] as? [String: Any] else {
                throw Failure(description: "\(method): \(answer["error"] ?? answer)")
            }
            return result
        }
        throw Failure(description: "\(method): the browser has ended")
    }

    /// The texts that come through a pipe.
    private nonisolated static func texts(from handle: FileHandle) -> AsyncStream<Data> {
        let (texts, text) = AsyncStream<Data>.makeStream()
        Thread {
            var rest = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                rest += data
                while let end = rest.firstIndex(of: 0) {
                    text.yield(rest[rest.startIndex..<end])
                    rest = Data(rest[(end + 1)...])
                }
            }
            text.finish()
        }.start()
        return texts
    }
}
