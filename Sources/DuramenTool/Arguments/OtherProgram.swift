import DuramenModel
import DuramenStore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A program with another kind of store, which takes over when an argument names such a store.
///
/// So `duramen` links no library that most programs do not need.
enum OtherProgram {
    private static let kinds = ["postgres": "duramen-postgres", "postgresql": "duramen-postgres"]

    /// Replaces this program when an argument names a store that only another program knows.
    ///
    /// - Returns: A message if the other program cannot be started; nil if no argument names such a
    ///   store.
    static func takeOver(_ arguments: [String]) -> String? {
        let own = StoreKinds.all.flatMap { [$0.name] + $0.otherNames }.map { StoredText($0) }
        let wanted = arguments.lazy.compactMap { argument -> String? in
            let kind = String(argument.prefix { $0 != ":" })
            return own.contains(StoredText(kind)) || kind.count == argument.count
                ? nil : kinds[kind]
        }.first
        guard let program = wanted else { return nil }
        // Not the first argument of the process: a shell that finds the program in PATH passes its
        // name without the folder.
        let beside = Bundle.main.executableURL?.resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: program).path
        if let beside { start(beside, [program] + arguments) }
        start(program, [program] + arguments)
        return
            "Stores on PostgreSQL need the program '\(program)', which is neither beside this one nor in "
            + "PATH. Build it: swift build -c release --product \(program)"
    }

    /// Returns only when the program cannot be started.
    private static func start(_ program: String, _ arguments: [String]) {
        let texts = arguments.map { strdup($0) }
        defer { for text in texts { free(text) } }
        // Sound: the texts live until the call fails, and a success does not return.
        _ = (texts + [nil]).withUnsafeBufferPointer { list in
            list.baseAddress.map { execvp(program, $0) }
        }
    }
}
