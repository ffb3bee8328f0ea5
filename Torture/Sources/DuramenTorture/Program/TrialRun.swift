import DuramenTestKit
import Foundation
import Synchronization

/// One trial on one kind of store: what it was asked for, and what it found so far.
final class TrialRun: Sendable {
    let trial: String
    let kind: StoreKind
    let programs: Programs
    let seed: UInt64
    /// How many cases; the trial has a number of its own.
    let count: Int?
    /// The one case to repeat; nil for all.
    let only: String?
    /// A folder of this run, which is removed at its end.
    let folder: String

    private struct State {
        var violations: [String] = []
        var done = 0
        var lastTenth = 0
    }

    private let state = Mutex(State())
    private let keptFolder: String

    init(
        trial: String, kind: StoreKind, programs: Programs, seed: UInt64, count: Int?,
        only: String?,
        folder: String
    ) throws {
        self.trial = trial
        self.kind = kind
        self.programs = programs
        self.seed = seed
        self.count = count
        self.only = only
        let base = "\(folder)/duramen-torture-\(ProcessInfo.processInfo.processIdentifier)"
        self.folder = "\(base)/\(trial)-\(kind.name)"
        keptFolder = "\(base)-kept"
        try FileSystem.makeFolder(self.folder)
    }

    func removeFolder() {
        FileSystem.remove(folder)
        // The folder of all runs goes with the last one.
        rmdir((folder as NSString).deletingLastPathComponent)
    }

    /// Makes an empty folder for a store.
    func newFolder(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        FileSystem.remove(path)
        try FileSystem.makeFolder(path)
        return path
    }

    func random(_ number: Int) -> SplitMix64 { SplitMix64(seed: seed, case: number) }

    /// The numbers of so many cases, or of the one to repeat.
    func numbers(_ count: Int) -> [Int] {
        only.flatMap { Int($0) }.map { [$0] } ?? Array(0..<count)
    }

    // MARK: - Workers

    /// Starts a worker on the store in a folder.
    func start(
        _ worker: String, in folder: String, _ arguments: [String] = [], fault: Fault? = nil
    ) throws -> ChildProcess {
        try programs.start(worker, kind, ["folder=\(folder)"] + arguments, fault: fault)
    }

    /// Lets a worker make the store in a folder, without faults.
    func makeStore(_ worker: String = "bank", in folder: String, _ arguments: [String]) throws {
        let making = try start(worker, in: folder, arguments)
        guard making.finish(before: .now + .seconds(60)) == .exited(0) else {
            throw TortureError("no store was made: \(making.remarks)")
        }
    }

    // MARK: - Findings

    var violations: [String] { state.withLock(\.violations) }

    /// Notes that a promise was broken, keeps the store, and says how to repeat the case.
    ///
    /// - Parameter name: The case; nil where one depends on those before.
    func violated(_ text: String, case name: String? = nil, keeping store: String?) {
        var message = "VIOLATION \(trial) \(kind.name)\(name.map { ", case \($0)" } ?? ""): \(text)"
        if let store, FileSystem.exists(store) {
            let kept = "\(keptFolder)/\(trial)-\(kind.name)-\(Self.fileName(name ?? "store"))"
            try? FileSystem.makeFolder(keptFolder)
            FileSystem.remove(kept)
            try? FileSystem.copy(store, to: kept)
            message += "\n  kept: \(kept)"
        }
        message +=
            "\n  again: Scripts/torture \(trial) --store \(kind.name) --seed \(seed)"
            + (count.map { " --count \($0)" } ?? "") + (name.map { " --only '\($0)'" } ?? "")
        state.withLock { $0.violations.append(message) }
        Self.say(message)
    }

    private static func fileName(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    // MARK: - Progress

    /// Notes that one of so many cases is done.
    func completedOne(of total: Int) {
        let line = state.withLock { state -> String? in
            state.done += 1
            let tenth = state.done * 10 / max(1, total)
            guard tenth > state.lastTenth else { return nil }
            state.lastTenth = tenth
            return "\(trial) \(kind.name): \(state.done) of \(total)"
        }
        if let line { Self.say(line) }
    }

    /// Writes to the error stream, so that summaries alone are on the output.
    static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    // MARK: - Lanes

    /// The number of processors.
    static var lanes: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// Runs a closure in several threads and waits for them; the first error is thrown.
    ///
    /// The threads are of their own, because most of the time they wait for other processes.
    func inLanes(
        _ count: Int = TrialRun.lanes, _ body: @escaping @Sendable (_ lane: Int) throws -> Void
    ) throws {
        let failure = Failure()
        let group = DispatchGroup()
        for lane in 0..<count {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try body(lane)
                } catch {
                    failure.note(error)
                }
            }
        }
        group.wait()
        if let error = failure.first { throw error }
    }

    /// Runs a closure for each case, in several threads, each with an auditor of its own.
    ///
    /// - Parameter total: The cases of all calls of this function, for the progress; nil for these.
    func forEach<Case: Sendable>(
        of cases: [Case], total: Int? = nil, lanes: Int = TrialRun.lanes,
        _ body: @escaping @Sendable (Case, Auditor) throws -> Void
    ) throws {
        let next = Counter()
        try inLanes(min(lanes, max(1, cases.count))) { [self] _ in
            let auditor = Auditor(programs, kind)
            while true {
                let place = next.next()
                guard place < cases.count else { return }
                try body(cases[place], auditor)
                completedOne(of: total ?? cases.count)
            }
        }
    }
}

/// Numbers that several threads take in turn.
private final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    func next() -> Int { number.add(1, ordering: .relaxed).oldValue }
}

/// The first error of several threads.
private final class Failure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    var first: (any Error)? { error.withLock { $0 } }

    func note(_ failure: any Error) { error.withLock { $0 = $0 ?? failure } }
}
