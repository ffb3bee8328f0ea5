/// Checks a history of transactions on lists, like Elle (Kingsbury, Alvaro, 2020).
///
/// The final lists show the order of writes, and each list that was read shows which write came
/// last. So there are three kinds of edges between transactions, from the earlier to the later one:
///
///     ww   wrote a list before the other one wrote it
///     wr   wrote what the other one read
///     rw   read a list before the other one wrote it
///
/// Serializable transactions form no cycle. The kinds of edges in a cycle show which guarantee was
/// violated. Times and durations have no meaning here.
public struct IsolationChecker {
    private struct Number: Hashable {
        var list: Int
        var number: Int
    }

    /// A list with this many numbers.
    private struct Version: Hashable {
        var list: Int
        var length: Int
    }

    private struct Writing: Hashable {
        var list: Int
        var transaction: Int
    }

    private let history: [ListTransaction]
    private let final: [Int: [Int]]
    private var writers: [Number: Int] = [:]
    private var isCommitted: [Bool] = []
    /// The last number that each transaction appended to each list.
    private var lastAppends: [Writing: Int] = [:]
    private var graph: DependencyGraph
    private var found: [IsolationAnomaly] = []

    /// Creates a checker of a history.
    ///
    /// - Parameters:
    ///   - history: The transactions, in any order. No two append equal numbers to a list.
    ///   - final: The lists at the end; missing ones are empty.
    public init(_ history: [ListTransaction], final: [Int: [Int]]) {
        self.history = history
        self.final = final
        graph = DependencyGraph(history.count)
        noteWriters()
    }

    /// Returns all anomalies. Of each component of cycles only the worst is reported.
    ///
    /// - Complexity: About the number of reads times the length of lists, and the size of
    ///   components squared.
    public func anomalies() -> [IsolationAnomaly] {
        var copy = self
        copy.checkFinalLists()
        var versions: [Version: [Int]] = [:]
        for place in history.indices where isCommitted[place] {
            copy.check(place, &versions)
        }
        copy.checkLostUpdates(versions)
        copy.addWrites()
        return copy.found + copy.circles()
    }

    private func name(_ transaction: Int) -> String { history[transaction].name }

    // MARK: - Observations of each transaction

    private mutating func noteWriters() {
        var seen: Set<Number> = []
        for (list, numbers) in final {
            for number in numbers { seen.insert(.init(list: list, number: number)) }
        }
        for transaction in history where transaction.outcome == .committed {
            for case .read(let list, let numbers) in transaction.steps {
                for number in numbers { seen.insert(.init(list: list, number: number)) }
            }
        }
        for (place, transaction) in history.enumerated() {
            var isSeen = false
            for case .append(let list, let number) in transaction.steps {
                let key = Number(list: list, number: number)
                precondition(writers[key] == nil, "\(number) was appended to list \(list) twice")
                writers[key] = place
                lastAppends[Writing(list: list, transaction: place)] = number
                isSeen = isSeen || seen.contains(key)
            }
            isCommitted.append(
                transaction.outcome == .committed || transaction.outcome == .unknown && isSeen)
        }
    }

    private mutating func checkFinalLists() {
        for (list, numbers) in final.sorted(by: { $0.key < $1.key }) {
            checkNumbers(numbers, list, reader: nil)
        }
        for (number, writer) in writers
        where isCommitted[writer] && final[number.list]?.contains(number.number) != true {
            found.append(
                .init(
                    .lostUpdate, [name(writer)],
                    "\(number.number) is not in list \(number.list) at the end"))
        }
    }

    /// Replays the steps of a transaction, and records the dependencies of its reads.
    private mutating func check(_ place: Int, _ versions: inout [Version: [Int]]) {
        var known: [Int: [Int]] = [:]
        var own: [Int: [Int]] = [:]
        for step in history[place].steps {
            switch step {
            case .append(let list, let number):
                known[list]?.append(number)
                own[list, default: []].append(number)
            case .read(let list, let numbers):
                if let expected = known[list] {
                    if expected == numbers { continue }
                    found.append(
                        .init(
                            .internalInconsistency, [name(place)],
                            "list \(list) is \(numbers) to it, and was \(expected)"))
                    continue
                }
                let written = own[list] ?? []
                guard numbers.suffix(written.count) == written[...] else {
                    found.append(
                        .init(
                            .internalInconsistency, [name(place)],
                            "list \(list) is \(numbers) to it, after it wrote \(written)"))
                    continue
                }
                known[list] = numbers
                noteRead(Array(numbers.dropLast(written.count)), list, place)
                if !written.isEmpty { continue }
                versions[Version(list: list, length: numbers.count), default: []].append(place)
            }
        }
    }

    /// Checks a list that a transaction read, and adds the resulting edges.
    private mutating func noteRead(_ numbers: [Int], _ list: Int, _ place: Int) {
        checkNumbers(numbers, list, reader: place)
        let order = final[list] ?? []
        guard order.starts(with: numbers) else {
            found.append(
                .init(
                    .incompatibleOrder, [name(place)],
                    "list \(list) was \(numbers) to it, and is \(order.prefix(numbers.count + 1)) at the end"
                ))
            return
        }
        if let last = numbers.last, let writer = writer(of: last, list), writer != place {
            graph.add(.writeRead, from: writer, to: place)
            if let final = lastAppends[Writing(list: list, transaction: writer)], final != last {
                found.append(
                    .init(
                        .intermediateRead, [name(writer), name(place)],
                        "list \(list) was read with \(last) and without \(final)"))
            }
        }
        if numbers.count < order.count, let next = writer(of: order[numbers.count], list),
            next != place
        {
            graph.add(.readWrite, from: place, to: next)
        }
    }

    private mutating func checkNumbers(_ numbers: [Int], _ list: Int, reader: Int?) {
        let who = reader.map(name) ?? "the end"
        if Set(numbers).count != numbers.count {
            found.append(
                .init(.unknownNumber, [who], "list \(list) has a number twice: \(numbers)"))
        }
        for number in numbers {
            guard let writer = writers[Number(list: list, number: number)] else {
                found.append(
                    .init(.unknownNumber, [who], "list \(list) has \(number), which nobody wrote"))
                continue
            }
            if isCommitted[writer] { continue }
            found.append(
                .init(.abortedRead, [name(writer), who], "list \(list) has \(number)"))
        }
    }

    private func writer(of number: Int, _ list: Int) -> Int? {
        guard let writer = writers[Number(list: list, number: number)], isCommitted[writer] else {
            return nil
        }
        return writer
    }

    // MARK: - Effects between transactions

    private mutating func checkLostUpdates(_ versions: [Version: [Int]]) {
        for (version, readers) in versions {
            let updaters = readers.filter {
                lastAppends[Writing(list: version.list, transaction: $0)] != nil
            }
            if updaters.count < 2 { continue }
            found.append(
                .init(
                    .lostUpdate, updaters.map(name),
                    "all of them read list \(version.list) with \(version.length) numbers and wrote it"
                ))
        }
    }

    private mutating func addWrites() {
        for (list, numbers) in final {
            let order = numbers.compactMap { writer(of: $0, list) }
            for (earlier, later) in zip(order, order.dropFirst()) where earlier != later {
                graph.add(.writeWrite, from: earlier, to: later)
            }
        }
    }

    private func circles() -> [IsolationAnomaly] {
        // Without anomalies these are empty, and searching for cycles of them is unnecessary.
        let kinds: [[DependencyGraph.Kind]] = [[.writeWrite], [.writeWrite, .writeRead]]
        let worse = kinds.filter {
            !graph.knots(of: $0).isEmpty
        }
        return graph.knots(of: DependencyGraph.Kind.allCases).map { worst(in: $0, worse) }
    }

    private func worst(in knot: [Int], _ worse: [[DependencyGraph.Kind]]) -> IsolationAnomaly {
        let members = Set(knot)
        for kinds in worse {
            guard let circle = graph.circle(in: members, of: kinds) else { continue }
            return anomaly(kinds.count == 1 ? .writeCycle : .circularInformation, circle)
        }
        if let circle = graph.circle(
            in: members, closing: .readWrite, of: [.writeWrite, .writeRead])
        {
            return anomaly(.readSkew, circle)
        }
        let circle = graph.circle(in: members, of: DependencyGraph.Kind.allCases)
        return anomaly(.writeSkew, circle ?? knot)
    }

    private func anomaly(_ kind: IsolationAnomaly.Kind, _ circle: [Int]) -> IsolationAnomaly {
        let steps = zip(circle, circle.dropFirst() + circle.prefix(1)).map { from, to in
            let kinds = graph.kinds(from: from, to: to).map(\.rawValue).joined(separator: "+")
            return "\(name(from)) -\(kinds)-> \(name(to))"
        }
        return IsolationAnomaly(kind, circle.map(name), steps.joined(separator: "; "))
    }
}
