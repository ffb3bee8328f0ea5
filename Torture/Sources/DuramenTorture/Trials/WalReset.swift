import Foundation

/// Stops and continues two writers and two that checkpoint, at random moments.
///
/// SQLite before 3.51.3 can lose a log that one process begins anew while another one writes it
/// back. The store's lock keeps the two apart.
enum WalReset {
    static func run(_ run: TrialRun) throws -> String {
        let seconds = run.count ?? 60
        let folder = try run.newFolder("store")
        // Made first, so that all of them open a store that exists.
        try run.makeStore("append", in: folder, ["writer=9", "seconds=0"])
        let workers = try [("append", 1), ("append", 2), ("maintain", 3), ("maintain", 4)].map {
            try run.start(
                $0.0, in: folder,
                ["writer=\($0.1)", "seconds=\(seconds)", "durability=relaxed"])
        }
        var random = run.random(0)
        let end = ContinuousClock.now + .seconds(seconds)
        var stops = 0
        while ContinuousClock.now < end {
            usleep(UInt32.random(in: 0...6_000, using: &random))
            let worker = workers[Int.random(in: 0..<4, using: &random)]
            worker.signal(SIGSTOP)
            usleep(UInt32.random(in: 400...4_000, using: &random))
            worker.signal(SIGCONT)
            stops += 1
        }
        var totals: [Int] = []
        var busy = 0
        for worker in workers {
            let line = worker.readLine(beginning: ["total"], before: .now + .seconds(30))
            let numbers = line?.split(separator: " ").compactMap { Int($0) } ?? []
            let ended = worker.finish(before: .now + .seconds(30))
            if ended != .exited(0) || numbers.count != 2 {
                run.violated(
                    "a worker ended with \(ended): \(worker.remarks.suffix(3))", keeping: folder)
            }
            totals.append(numbers.first ?? 0)
            busy += numbers.last ?? 0
        }
        if let complaint = run.kind.engineComplaint(run.kind.path(in: folder)) {
            run.violated("the engine: \(complaint)", keeping: folder)
        }
        let counter = try run.start("count", in: folder)
        let counted = counter.readLine(beginning: ["counted"], before: .now + .seconds(120))
        let expected = "counted 1:\(totals[0]) 2:\(totals[1])"
        if counted != expected {
            run.violated(
                "\(expected) were acknowledged, and the store has \(counted ?? "none"): "
                    + "\(counter.remarks)", keeping: folder)
        }
        return "\(seconds) s, \(stops) stops, \(totals[0] + totals[1]) saves of two writers, "
            + "\(totals[2] + totals[3]) checkpoints, \(busy) times busy; all saves there, "
            + "\(run.violations.count) violations"
    }
}
