import Dispatch
import DuramenModel
import DuramenStore
import Foundation

/// A failed check, before the name of its case is added.
struct Difference: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Fails the case unless a claim is true.
func check(_ claim: Bool, _ message: @autoclosure () -> String) throws {
    if !claim { throw Difference(message()) }
}

/// Fails the case unless two values are equal.
func checkEqual<T: Equatable>(
    _ found: T, _ expected: T, _ subject: @autoclosure () -> String
) throws {
    if found != expected {
        throw Difference("\(subject()): found \(found), expected \(expected)")
    }
}

/// Fails the case unless two states are equal.
func checkSame(
    _ found: StoreContents, _ expected: StoreContents, _ subject: @autoclosure () -> String
) throws {
    if let difference = expected.difference(to: found) {
        throw Difference("\(subject()): \(difference)")
    }
}

/// Fails the case unless the work throws a store error with this code.
func checkThrows<T>(
    _ code: StoreError.Code, _ subject: @autoclosure () -> String, _ work: () throws -> T
) throws {
    do {
        _ = try work()
    } catch let error as StoreError {
        try checkEqual(error.code.rawValue, code.rawValue, subject())
        return
    }
    throw Difference("\(subject()): nothing was thrown, expected \(code.rawValue)")
}

/// Runs work on separate threads, so that it overlaps on any number of cores.
enum Threads {
    // Much longer than any case takes, so that a blocked store fails instead of hanging.
    private static let deadlineSeconds = 60.0

    /// Runs the work once per thread and waits for all.
    static func run(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let failures = SharedList<any Error>()
        let done = DispatchGroup()
        for index in 0..<count {
            done.enter()
            Thread {
                defer { done.leave() }
                do { try work(index) } catch { failures.append(error) }
            }.start()
        }
        if done.wait(timeout: .now() + deadlineSeconds) == .timedOut {
            throw Difference(
                "work on \(count) threads did not end within \(deadlineSeconds) seconds")
        }
        if let first = failures.all.first { throw first }
    }
}

/// A list that several threads append to.
final class SharedList<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
