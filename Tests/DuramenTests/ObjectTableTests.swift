import DuramenMemory
import DuramenTestKit
import Testing

@testable import Duramen

/// The identity map, beside a dictionary.
struct ObjectTableTests {
    private let context: ManagedObjectContext

    init() throws {
        let container = try PersistentContainer.open(model: Shock.model, stores: [.memory()])
        context = container.makeContext()
    }

    /// Keys as stores hand them out, temporary ones, and such as another store may have.
    private static let distributions: [(String, ClosedRange<Int64>)] = [
        ("neighbours", 1...2_000), ("temporary", -3_000 ... -1), ("mixed", -500...500),
        ("scattered", 1...2_000_000), ("enormous", .max - 300_000 ... .max),
        ("everything", .min ... .max),
    ]

    @Test("A table finds what a dictionary finds", arguments: distributions, [1, 2, 3] as [UInt64])
    func agreement(distribution: (name: String, keys: ClosedRange<Int64>), seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let objects = (0..<8).map { _ in Shock(context: context) }
        let table = ObjectTable()
        var known: [Int64: ManagedObject] = [:]
        // Every key that was ever in: a dictionary's own order differs from run to run.
        var used: [Int64] = [1]
        for step in 0..<4_000 {
            // Neighbours of known keys are as likely as new ones.
            let key =
                Bool.random(using: &random)
                ? Int64.random(in: distribution.keys, using: &random)
                : used[Int.random(in: used.indices, using: &random)] &+ 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let object = objects[Int.random(in: 0..<8, using: &random)]
                table.insert(object, key: key)
                known[key] = object
                used.append(key)
            case 6..<8:
                table.remove(key)
                known[key] = nil
            case 8:
                let old = used[Int.random(in: used.indices, using: &random)]
                guard known[old] != nil, known[key] == nil else { continue }
                table.move(from: old, to: key)
                known[key] = known.removeValue(forKey: old)
            default:
                #expect(table.find(key) === known[key], "\(distribution.name) \(seed) \(step)")
            }
            #expect(table.count == known.count)
        }
        for (key, object) in known { #expect(table.find(key) === object) }
        var seen = 0
        table.forEach { _ in seen += 1 }
        #expect(seen == known.count)
        table.removeAll()
        #expect(table.count == 0 && known.keys.allSatisfy { table.find($0) == nil })
    }

    @Test("Emptied pages are given back, and what is left is still found")
    func sweeping() {
        let held = (1...20).map { _ in Shock(context: context) }
        let table = ObjectTable()
        for key in Int64(1)...100_000 { table.insert(held[0], key: key) }
        for key in Int64(1)...100_000 where key % 5_000 != 0 { table.remove(key) }
        table.sweep()
        for key in stride(from: Int64(5_000), through: 100_000, by: 5_000) {
            #expect(table.find(key) === held[0])
        }
        table.insert(held[1], key: 7)
        #expect(table.find(7) === held[1] && table.find(8) == nil && table.count == 21)
    }

    /// Many are given up in another order than few; see `ObjectRelease`.
    @Test("Each of many objects is given up once", arguments: [0, 1])
    func givingUpMany(isReset: Int) throws {
        let container = try StoreKind.memory.container()
        let writer = container.makeContext()
        for number in 0..<40_000 { _ = writer.insertQuake("\(number)") }
        try writer.save()
        let ids = try writer.fetchObjectIDs(FetchRequest<Quake>())
        #expect(ids.count > ObjectRelease.fewest)
        var random = SplitMix64(seed: 1)
        var reader: ManagedObjectContext? = container.makeContext()
        var held: [Quake] = []
        var others: [Weak] = []
        for (place, id) in ids.shuffled(using: &random).enumerated() {
            guard let quake = try reader?.existingObject(with: id, as: Quake.self) else { continue }
            if place % 1_000 == 0 { held.append(quake) } else { others.append(Weak(object: quake)) }
        }
        if isReset == 1 { reader?.reset() } else { reader = nil }
        #expect(others.count == 39_960 && others.allSatisfy { $0.object == nil })
        let last = Weak(object: held[0])
        #expect(held.count == 40 && last.object != nil)
        held = []
        #expect(last.object == nil)
    }

    private struct Weak {
        weak var object: ManagedObject?
    }
}
