import Duramen
import Foundation
import Synchronization
import Testing

/// Objects that nobody holds are let go of, for good.
///
/// Each test has a process of its own, since the resident size of this one is everybody's.
/// `DURAMEN_MEMORY_OBJECTS` sets the number of objects.
@Suite struct MemoryTests {
    @Test(
        "Objects fetched and dropped again and again leave nothing",
        .enabled(if: ResidentSize.isKnown, ResidentSize.unknown), arguments: StoreKind.allCases)
    func passes(kind: StoreKind) async {
        await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
            let container = try Pebble.container(name)
            let count = Pebble.wantedCount
            try container.insertPebbles(count)
            let background = container.newBackgroundContext()
            var second = 0
            for pass in 1...10 {
                let sum = try background.performAndWait { context in
                    try context.fetch(FetchRequest<Pebble>()).reduce(0) { $0 + $1.weight }
                }
                #expect(sum == Int64(count))
                #expect(Pebble.liveCount == 0, "after pass \(pass)")
                if pass == 2 { second = ResidentSize.bytes }
            }
            let growth = ResidentSize.bytes - second
            print("\(name): \(count) objects, \(growth >> 10) KiB more after pass 10 than after 2")
            #expect(growth <= 4 << 20)
        }
    }

    @Test(
        "A walk through a lazy result needs the memory of a few batches",
        arguments: StoreKind.allCases)
    func lazyWalk(kind: StoreKind) async {
        await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
            let container = try Pebble.container(name)
            let count = Pebble.wantedCount
            try container.insertPebbles(count)
            let background = container.newBackgroundContext()
            let (sum, most) = try background.performAndWait { context in
                var most = 0
                var sum: Int64 = 0
                for pebble in try context.fetchLazily(FetchRequest<Pebble>()) {
                    sum += pebble.weight + (pebble.next?.weight ?? 0)
                    most = max(most, Pebble.liveCount)
                }
                return (sum, most)
            }
            #expect(sum == Int64(2 * count - (count + 9_999) / 10_000) && most < 2_000)
            #expect(Pebble.liveCount == 0)
        }
    }

    @Test("Two objects that lead to each other are let go of", arguments: StoreKind.allCases)
    func mutualRelationship(kind: StoreKind) async {
        await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
            let container = try Pebble.container(name)
            let background = container.newBackgroundContext()
            try background.performAndWait { context in
                let (first, second) = (Pebble(context: context), Pebble(context: context))
                (first.next, second.next) = (second, first)
                #expect(first.previous === second && second.previous === first)
                try context.save()
                #expect(Pebble.liveCount == 2)
            }
            #expect(Pebble.liveCount == 0)
            try background.performAndWait { context in
                let found = try context.fetch(FetchRequest<Pebble>())
                #expect(found[0].next === found[1] && found[1].next === found[0])
                #expect(found[0].previous === found[1])
            }
            #expect(Pebble.liveCount == 0)
        }
    }

    @Test(
        "A context that inserts and saves for long keeps nothing of each object",
        .enabled(if: ResidentSize.isExact, ResidentSize.unknown), arguments: [false, true])
    func longInserting(inOneUnit: Bool) async {
        await #expect(processExitsWith: .success) { [inOneUnit] in
            let container = try Pebble.container("lmdb")
            func insert(in context: ManagedObjectContext) throws -> Int {
                for _ in 0..<10 {
                    for _ in 0..<1_000 { _ = Pebble(context: context) }
                    try context.save()
                }
                #expect(Pebble.liveCount < 4_000)
                return ResidentSize.privateBytes
            }
            func insertForLong(in context: ManagedObjectContext) throws {
                let first = try insert(in: context)
                var last = first
                for _ in 0..<9 { last = try insert(in: context) }
                // The keys of the last hundreds of thousands of objects are known by both IDs.
                #expect(last - first < 90_000 * 24)
            }
            if inOneUnit {
                try container.newBackgroundContext().performAndWait(insertForLong)
            } else {
                try insertForLong(in: container.makeContext())
            }
        }
    }

    @Test("What was fetched and dropped is let go of where nothing else ends the unit of work")
    func fetchingWithoutUnits() async {
        await #expect(processExitsWith: .success) {
            let container = try Pebble.container("sqlite")
            try container.insertPebbles(6_000)
            try await MainActor.run {
                let pebbles = try container.viewContext.fetch(FetchRequest<Pebble>())
                #expect(pebbles.count == 6_000 && Pebble.liveCount == 6_000)
            }
            while Pebble.liveCount > 0 { await Task.yield() }
        }
    }

    @Test(
        "A thousand contexts that were used leave nothing",
        .enabled(if: ResidentSize.isKnown, ResidentSize.unknown), arguments: StoreKind.allCases)
    func contexts(kind: StoreKind) async {
        await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
            let container = try Pebble.container(name)
            try container.insertPebbles(20)
            var before = 0
            for number in 1...1_000 {
                weak var gone: ManagedObjectContext?
                do {
                    let context = container.makeContext()
                    gone = context
                    let pebbles = try context.fetch(FetchRequest<Pebble>())
                    pebbles[0].weight += 1
                    _ = pebbles[1].next?.weight
                    _ = Pebble(context: ManagedObjectContext(parent: context))
                    if number % 10 == 0 { try context.save() }
                }
                #expect(gone == nil && Pebble.liveCount == 0)
                if number == 200 { before = ResidentSize.bytes }
            }
            let growth = ResidentSize.bytes - before
            print("\(name): \(growth >> 10) KiB more after 1,000 contexts than after 200")
            #expect(growth <= 4 << 20)
        }
    }
}

/// An object whose instances are counted.
final class Pebble: ManagedObject {
    private static let live = Atomic<Int>(0)

    static var liveCount: Int { live.load(ordering: .relaxed) }

    var next: Pebble? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }
    var previous: Pebble? {
        get { toOne(at: 1) }
        set { setToOne(newValue, at: 1) }
    }
    var weight: Int64 {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }

    required init(_ registration: ManagedObjectRegistration) {
        super.init(registration)
        Self.live.add(1, ordering: .relaxed)
    }

    deinit { Self.live.subtract(1, ordering: .relaxed) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Pebble", attributes: [.of(Int64.self, name: "weight", default: 1)],
            relationships: [
                .toOne("next", destination: Pebble.self, inverse: \Pebble.previous),
                .toOne("previous", destination: Pebble.self),
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Pebble.next: "next", \Pebble.previous: "previous", \Pebble.weight: "weight",
    ])

    static func container(_ kind: String) throws -> PersistentContainer {
        try #require(StoreKind(rawValue: kind)).container(ManagedObjectModel(Pebble.self))
    }

    /// How many objects a test is to use: few, unless somebody asks for more.
    static var wantedCount: Int {
        ProcessInfo.processInfo.environment["DURAMEN_MEMORY_OBJECTS"].flatMap(Int.init) ?? 10_000
    }
}

extension PersistentContainer {
    /// Saves a chain of pebbles, and forgets them.
    func insertPebbles(_ count: Int) throws {
        let background = newBackgroundContext()
        var done = 0
        while done < count {
            let some = min(count - done, 10_000)
            try background.performAndWait { context in
                var last: Pebble?
                for _ in 0..<some {
                    let pebble = Pebble(context: context)
                    pebble.previous = last
                    last = pebble
                }
                try context.save()
            }
            done += some
        }
    }
}

/// How much memory the process has, as the system says.
enum ResidentSize {
    /// Whether there is one to be asked. The address sanitizer keeps what is let go of for a while.
    static var isKnown: Bool {
        FileManager.default.fileExists(atPath: "/proc/self/statm")
            && dlsym(nil, "__asan_init") == nil
    }

    /// The same for tests of a few bytes for each object. The thread sanitizer notes what each byte
    /// of them was used for.
    static var isExact: Bool { isKnown && dlsym(nil, "__tsan_init") == nil }

    static let unknown: Comment =
        "The resident size is in /proc, which is not there, or that of a sanitizer."

    static var bytes: Int { fields[1] }

    /// Without the pages of files, such as those that a store maps.
    static var privateBytes: Int { fields[1] - fields[2] }

    private static var fields: [Int] {
        let line = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = line?.split(separator: " ").compactMap { Int($0) } ?? [0, 0, 0]
        return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
