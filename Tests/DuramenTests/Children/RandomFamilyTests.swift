import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

/// Two families of contexts, three levels deep, change one store at random, and agree with a naive
/// model after every step.
@Suite(.serialized)
struct RandomFamilyTests {
    @Test(arguments: StoreKind.allCases)
    func familiesAgreeWithANaiveModel(kind: StoreKind) throws {
        for seed in workloadSeeds(kind == .memory ? 30 : 10) { try run(seed, kind, mostSteps: 3) }
    }

    @Test(arguments: [6_260, 6_597, 9_510], StoreKind.allCases)
    func seedsThatFailedOncePass(seed: UInt64, kind: StoreKind) throws {
        try run(seed, kind, mostSteps: 1)
    }

    /// - Parameter mostSteps: How many steps one context takes at most before all merge.
    private func run(_ seed: UInt64, _ kind: StoreKind, mostSteps: Int) throws {
        var generator = SplitMix64(seed: seed)
        let script = (0..<60).map { _ in generator.next() }
        func failure(of script: [UInt64], isVerbose: Bool = false) throws -> String? {
            try FamilyWorkload(kind, mostSteps: mostSteps, isVerbose: isVerbose).failure(of: script)
        }
        guard let first = try failure(of: script) else { return }
        let short = try shrunk(script) { try failure(of: $0) != nil }
        let log = try failure(of: short, isVerbose: true) ?? first
        Issue.record("seed \(seed), \(kind), shrunk to \(short.count) steps: \(log)")
    }

    /// Leaves steps out for as long as the script still fails.
    private func shrunk(
        _ script: [UInt64], _ fails: ([UInt64]) throws -> Bool
    ) throws -> [UInt64] {
        var script = script
        var size = script.count / 2
        while size > 0 {
            var start = 0
            while start < script.count {
                var shorter = script
                shorter.removeSubrange(start..<min(start + size, script.count))
                if try fails(shorter) {
                    script = shorter
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return script
    }
}

/// The contexts of one run, and the model of them.
private final class FamilyWorkload {
    /// The levels of the parents: a context with two children, one of which has one, and a line of
    /// three.
    private static let parents = [nil, 0, 1, 0, nil, 4, 5]

    private let container: PersistentContainer
    private var contexts: [ManagedObjectContext] = []
    private var model = GraphModel(parents: parents)
    /// Quakes that each context showed, which somebody still holds.
    private var held: [[Quake]] = parents.map { _ in [] }
    private var log: [String] = []
    private let mostSteps: Int
    private let isVerbose: Bool
    private var count = 0

    init(_ kind: StoreKind, mostSteps: Int, isVerbose: Bool) throws {
        self.mostSteps = mostSteps
        self.isVerbose = isVerbose
        container = try kind.container()
        for level in Self.parents.indices { contexts.append(context(at: level)) }
    }

    private func context(at level: Int) -> ManagedObjectContext {
        let options = ContextOptions(name: "\(level)")
        guard let parent = Self.parents[level] else { return container.makeContext(options) }
        return ManagedObjectContext(parent: contexts[parent], options: options)
    }

    /// What went wrong; nil when nothing did.
    func failure(of script: [UInt64]) -> String? {
        do {
            return try run(script).map { (log + [$0]).joined(separator: "\n") }
        } catch {
            return (log + ["\(error)"]).joined(separator: "\n")
        }
    }

    private func run(_ script: [UInt64]) throws -> String? {
        for seed in script {
            var generator = SplitMix64(seed: seed)
            let level = Int.random(in: 0..<contexts.count, using: &generator)
            let steps = Int(seed >> 32) % mostSteps + 1
            for _ in 0..<steps {
                count += 1
                if let failure = try step(level, &generator) { return failure }
            }
            if let failure = try mergeAll() ?? difference()
                ?? contexts.flatMap(\.brokenInvariants).first
            {
                return failure
            }
        }
        for level in contexts.indices.reversed() {
            if let failure = try save(level) ?? mergeAll() ?? difference() {
                return failure
            }
        }
        return nil
    }

    private func note(_ text: @autoclosure () -> String) {
        if isVerbose { log.append(text()) }
    }

    // MARK: - Steps

    private func step(_ level: Int, _ generator: inout SplitMix64) throws -> String? {
        let context = contexts[level]
        switch Int.random(in: 0..<30, using: &generator) {
        case 0...5: return try save(level)
        case 6:
            note("\(level) rolls back")
            context.rollback()
            model.rollBack(level)
        case 7: context.trim()
        case 8: try refresh(level, &generator)
        case 9: renew(level)
        default: try change(level, &generator)
        }
        return nil
    }

    private func save(_ level: Int) throws -> String? {
        let isConflicted = model.isConflicted(level)
        note("\(level) saves\(isConflicted ? " in vain" : "")")
        do {
            try contexts[level].save()
            if isConflicted { return "the save of \(level) should conflict" }
            model.save(level)
        } catch let error as SaveConflictError {
            if !isConflicted { return "the save of \(level) should not conflict: \(error)" }
            contexts[level].rollback()
            model.rollBack(level)
        }
        return nil
    }

    /// Drops a context without children, and makes another one in its place.
    private func renew(_ level: Int) {
        if Self.parents.contains(level) { return }
        note("\(level) is dropped and made again")
        held[level] = []
        contexts[level] = context(at: level)
        model.rollBack(level)
    }

    private func refresh(_ level: Int, _ generator: inout SplitMix64) throws {
        let names = model.view(Self.parents[level]).objects.keys.filter { $0.hasPrefix("q") }
        let seen = model.view(level).objects
        guard
            let name = names.filter({ seen[$0] != nil }).sorted().randomElement(using: &generator),
            let quake = try contexts[level].quake(name)
        else { return }
        let keepsEdits = Bool.random(using: &generator)
        note("\(level) refreshes \(name)\(keepsEdits ? ", keeping its edits" : "")")
        try contexts[level].refresh(quake, mergeChanges: keepsEdits)
        model.refresh(name, at: level, keepsEdits: keepsEdits)
    }

    private func change(_ level: Int, _ generator: inout SplitMix64) throws {
        let context = contexts[level]
        let names = model.view(level).objects.keys.sorted()
        func pick(_ prefix: String) -> String? {
            names.filter { $0.hasPrefix(prefix) }.randomElement(using: &generator)
        }
        let (quake, region, tag) = (pick("q"), pick("r"), pick("t"))
        switch Int.random(in: 0..<14, using: &generator) {
        case 0:
            note("\(level) inserts r\(count)")
            _ = context.insertRegion("r\(count)")
            model.insert("r\(count)", GraphModel.Record(), at: level)
        case 1:
            note("\(level) inserts t\(count)")
            _ = context.insertTag("t\(count)")
            model.insert("t\(count)", GraphModel.Record(), at: level)
        case 2...4:
            note("\(level) inserts q\(count) in \(region ?? "-")")
            _ = context.insertQuake("q\(count)", in: try region.flatMap(context.region))
            model.insert("q\(count)", GraphModel.Record(region: region), at: level)
        case 5, 6:
            guard let quake, let object = try context.quake(quake) else { return }
            let magnitude = Double.random(in: 1...3, using: &generator).rounded()
            note("\(level) sets the magnitude of \(quake) to \(magnitude)")
            if object.magnitude == magnitude { return }
            object.magnitude = magnitude
            model.edit(quake, at: level) { $0.magnitude = magnitude }
        case 7:
            guard let quake, let object = try context.quake(quake) else { return }
            let depth = Double(count)
            note("\(level) sets the depth of \(quake) to \(depth)")
            object.depth = depth
            model.edit(quake, at: level) { $0.depth = depth }
        case 8, 9:
            guard let quake, let object = try context.quake(quake) else { return }
            let region = Bool.random(using: &generator) ? region : nil
            note("\(level) moves \(quake) to \(region ?? "-")")
            if model.view(level).objects[quake]?.region == region { return }
            object.region = try region.flatMap(context.region)
            model.edit(quake, at: level) { $0.region = region }
        case 10, 11:
            guard let quake, let tag, let object = try context.quake(quake),
                let other = try context.tag(tag)
            else { return }
            let isAdded = Int.random(in: 0..<3, using: &generator) > 0
            note("\(level) \(isAdded ? "joins" : "parts") \(quake) and \(tag)")
            if isAdded { object.tags.insert(other) } else { object.tags.remove(other) }
            model.set(GraphModel.Pair(quake: quake, tag: tag), isAdded, at: level)
        default:
            let victims = [quake, quake, region, tag].compactMap { $0 }
            guard let victim = victims.randomElement(using: &generator) else { return }
            note("\(level) deletes \(victim)")
            let object: ManagedObject? =
                switch victim.first {
                case "q": try context.quake(victim)
                case "r": try context.region(victim)
                default: try context.tag(victim)
                }
            if let object { context.delete(object) }
            model.delete(victim, at: level)
        }
    }

    // MARK: - Looking

    /// Merges in both families. One at the top that is in conflict then gives up, since both sides
    /// of its relationships may differ until it does.
    private func mergeAll() throws -> String? {
        let tops = Self.parents.indices.filter { Self.parents[$0] == nil }
        for top in tops { contexts[top].processPendingChanges() }
        model.merge()
        for top in tops where model.isConflicted(top) {
            if let failure = try save(top) { return failure }
            contexts[top].processPendingChanges()
            model.merge()
        }
        return nil
    }

    private func difference() throws -> String? {
        for level in contexts.indices {
            let found = try contents(at: level)
            let expected = model.contents(level)
            if found != expected {
                return "\(level) shows \(found) instead of \(expected)"
            }
            let strong = try contexts[level].count(
                for: FetchRequest<Quake>().where { $0.magnitude >= 2 })
            let all = model.view(level).objects
            let kept = held[level].filter { !$0.isDeleted && !$0.isGone }
            if let ghost = kept.first(where: { all[$0.code] == nil }) {
                return "\(ghost.code) is gone, but \(level) does not know"
            }
            if strong != all.count(where: { $0.key.hasPrefix("q") && $0.value.magnitude >= 2 }) {
                return "\(level) counts \(strong) strong ones of \(expected)"
            }
        }
        return nil
    }

    private func contents(at level: Int) throws -> [String] {
        let context = contexts[level]
        let shown = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        if count.isMultiple(of: 2) { held[level] = Array(shown) }
        let quakes = shown.map { quake in
            GraphModel.line(
                quake.code, quake.magnitude, quake.depth, region: quake.region.map(name),
                tags: quake.tags.map(\.name).sorted())
        }
        let regions = try context.fetch(FetchRequest<Region>().sorted(by: \.name)).map {
            "\($0.name): \($0.quakes.map(\.code).sorted())"
        }
        let tags = try context.fetch(FetchRequest<Tag>().sorted(by: \.name)).map {
            "\($0.name): \($0.quakes.map(\.code).sorted())"
        }
        return quakes + regions + tags
    }

    /// The name of a region that may be gone.
    private func name(of region: Region) -> String {
        if region.isDeleted { return "deleted" }
        do {
            try region.load()
            return region.name
        } catch {
            return "deleted"
        }
    }
}

extension ManagedObjectContext {
    fileprivate func region(_ name: String) throws -> Region? {
        try fetch(FetchRequest<Region>().where { $0.name == name }).first
    }

    fileprivate func tag(_ name: String) throws -> Tag? {
        try fetch(FetchRequest<Tag>().where { $0.name == name }).first
    }
}
