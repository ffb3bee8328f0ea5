import DuramenTestKit
import Testing

/// Histories by hand, one for each anomaly, and ones that are sound.
@Suite struct IsolationCheckerTests {
    private func kinds(
        _ lines: [String], final: [Int: [Int]]
    ) throws -> [IsolationAnomaly.Kind] {
        let history = try lines.map { try #require(ListTransaction($0), "\($0)") }
        return IsolationChecker(history, final: final).anomalies().map(\.kind)
    }

    @Test("Transactions one after the other are sound, whatever their order in the history")
    func sound() throws {
        let lines = [
            "c committed r1:1,2 r2:3 a2:4 r2:3,4", "a committed r1: a1:1 r1:1",
            "b committed r1:1 a1:2 a2:3", "d aborted r1:1 a1:9", "e committed r1:1,2 r2:3,4",
        ]
        #expect(try kinds(lines, final: [1: [1, 2], 2: [3, 4]]) == [])
    }

    @Test("A reader between two writers is sound")
    func readersAreSound() throws {
        let lines = [
            "a committed a1:1 a2:1", "r committed r1:1 r2:1", "b committed a1:2 a2:2",
            "s committed r1:1,2 r2:1,2",
        ]
        #expect(try kinds(lines, final: [1: [1, 2], 2: [1, 2]]) == [])
    }

    @Test("G0: writes in no common order")
    func writeCycles() throws {
        let lines = ["a committed a1:1 a2:1", "b committed a1:2 a2:2"]
        #expect(try kinds(lines, final: [1: [1, 2], 2: [2, 1]]) == [.writeCycle])
    }

    @Test("G1a: a read of what was aborted, by a transaction or at the end")
    func abortedReads() throws {
        let lines = ["a aborted a1:1", "b committed r1:1"]
        #expect(try kinds(lines, final: [1: [1]]) == [.abortedRead, .abortedRead])
        #expect(try kinds(["a aborted a1:1"], final: [1: [1]]) == [.abortedRead])
    }

    @Test("G1b: a read of the first half of what a transaction wrote to a list")
    func intermediateReads() throws {
        let lines = ["a committed a1:1 a1:2", "b committed r1:1"]
        let found = try kinds(lines, final: [1: [1, 2]])
        #expect(found.contains(.intermediateRead))
    }

    @Test("G1c: two transactions that saw each other's writes")
    func circularInformation() throws {
        let lines = ["a committed a1:1 r2:1", "b committed a2:1 r1:1"]
        #expect(try kinds(lines, final: [1: [1], 2: [1]]) == [.circularInformation])
        // By way of a third one, with a write over a write.
        let three = ["a committed a1:1 r3:3", "b committed a1:2 a2:2", "c committed r2:2 a3:3"]
        #expect(
            try kinds(three, final: [1: [1, 2], 2: [2], 3: [3]]) == [.circularInformation])
    }

    @Test("G-single: a transaction saw a half of what another one wrote")
    func readSkew() throws {
        let lines = ["a committed a1:1 a2:1", "b committed r1: r2:1"]
        #expect(try kinds(lines, final: [1: [1], 2: [1]]) == [.readSkew])
    }

    @Test("A lost update: two that read and wrote the same version, or a write that is gone")
    func lostUpdates() throws {
        let both = ["a committed r1: a1:1", "b committed r1: a1:2"]
        #expect(try kinds(both, final: [1: [1, 2]]) == [.lostUpdate, .readSkew])
        #expect(try kinds(both, final: [1: [2]]) == [.lostUpdate, .lostUpdate])
        #expect(try kinds(["a committed a1:1"], final: [:]) == [.lostUpdate])
    }

    @Test("G2: two that each read what the other one wrote")
    func writeSkew() throws {
        let lines = ["a committed r1: r2: a1:1", "b committed r1: r2: a2:2"]
        #expect(try kinds(lines, final: [1: [1], 2: [2]]) == [.writeSkew])
        // Three, with a reader that closes the circle.
        let reader = [
            "a committed r2: a1:1", "b committed a2:2 r3:", "c committed r1: a3:3",
        ]
        #expect(try kinds(reader, final: [1: [1], 2: [2], 3: [3]]) == [.writeSkew])
    }

    @Test("A transaction that does not see what it saw or wrote itself")
    func internalInconsistency() throws {
        let twice = ["a committed a1:1", "b committed r1: r1:1"]
        #expect(try kinds(twice, final: [1: [1]]) == [.internalInconsistency])
        let own = ["a committed r1: a1:1 r1:"]
        #expect(try kinds(own, final: [1: [1]]) == [.internalInconsistency])
        #expect(
            try kinds(["a committed a1:1 r1:"], final: [1: [1]]) == [.internalInconsistency])
    }

    @Test("Reads that are no beginnings of one list, and numbers that nobody wrote")
    func impossibleReads() throws {
        let order = ["a committed a1:1", "b committed a1:2", "c committed r1:2"]
        #expect(try kinds(order, final: [1: [1, 2]]) == [.incompatibleOrder])
        let unknown = try kinds(["a committed a1:1"], final: [1: [1, 7]])
        #expect(unknown == [.unknownNumber])
        let twice = try kinds(["a committed a1:1"], final: [1: [1, 1]])
        #expect(twice.contains(.unknownNumber))
    }

    @Test("What became of a transaction of unknown outcome is told by what is seen of it")
    func unknownOutcomes() throws {
        let lines = ["a unknown r1: a1:1", "b unknown r1: a1:2", "c committed r1:1"]
        #expect(try kinds(lines, final: [1: [1]]) == [])
        #expect(try kinds(lines, final: [1: [1, 2]]) == [.lostUpdate, .readSkew])
    }

    @Test("Two circles that have nothing in common are two anomalies")
    func twoCircles() throws {
        let lines = [
            "a committed r1: a2:1", "b committed r2: a1:1", "c committed a3:1 a4:1",
            "d committed r3: r4:1",
        ]
        let found = try kinds(lines, final: [1: [1], 2: [1], 3: [1], 4: [1]])
        #expect(Set(found) == [.writeSkew, .readSkew] && found.count == 2)
    }

    @Test("An anomaly names the circle, and what it is made of")
    func descriptions() throws {
        let history = try ["a committed r1: a2:1", "b committed r2: a1:1"].map {
            try #require(ListTransaction($0))
        }
        let found = IsolationChecker(history, final: [1: [1], 2: [1]]).anomalies()
        #expect(found.map(\.description) == ["G2 of a, b: a -rw-> b; b -rw-> a"])
    }

    @Test("A transaction is written in a line and read from it; other lines are refused")
    func lines() throws {
        let line = "p3.17 committed r3:5,8 a3:9 r4: a4:-1"
        #expect(ListTransaction(line)?.description == line)
        #expect(ListTransaction("x aborted")?.steps == [])
        for line in [
            "", "x", "x done", "x committed q1:2", "x committed r1", "x committed a1:",
            "x committed r:1",
            "x committed r1:a", "x committed a1:1,2",
        ] { #expect(ListTransaction(line) == nil, "\(line)") }
    }

    @Test("A long history of one list is judged without recursion")
    func longHistories() throws {
        var history: [ListTransaction] = []
        for number in 0..<20_000 {
            history.append(
                ListTransaction("t\(number)", .committed, [.append(list: number % 7, number)]))
        }
        let final = Dictionary(grouping: 0..<20_000) { $0 % 7 }
        #expect(IsolationChecker(history, final: final).anomalies().isEmpty)
    }
}
