import Duramen
import Foundation

/// What several processes write together and others follow: entries, each with the attempt that
/// made it.
enum Journal {
    static let entity = "Entry"
    /// The author of the last transaction.
    static let end = "end"

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: entity,
                attributes: [
                    AttributeDescription("attempt", .integer64),
                    AttributeDescription("size", .integer64),
                    AttributeDescription("value", .integer64),
                ])
        ])
    }

    static func open(_ arguments: WorkerArguments) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: makeModel(),
            stores: [arguments.description(in: arguments.text("folder")).keepingHistory()])
    }
}

/// What a reader of history has seen: every transaction once, in the order of their numbers.
struct JournalReading {
    private(set) var count = 0
    private(set) var last: Int64
    /// A digest of transactions and changes.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var isAtEnd = false
    /// In milliseconds: how long after the beginning of its commit each transaction was here.
    private var delays: [Double] = []

    /// - Parameter start: The number of the transaction before the first.
    init(after start: Int64) { last = start }

    /// Takes transactions.
    ///
    /// - Throws: ``Unsound`` when one is missing, comes twice, or comes too early.
    mutating func take(_ transactions: [PersistentHistoryTransaction]) throws {
        let now = Date()
        for transaction in transactions {
            guard transaction.transactionNumber == last + 1 else {
                throw Unsound("transaction \(transaction.transactionNumber) follows \(last)")
            }
            last = transaction.transactionNumber
            count += 1
            mix(last)
            for change in transaction.changes ?? [] {
                mix(change.changeID)
                mix(Int64(change.changeType.rawValue))
                mix(change.changedObjectID.key)
            }
            delays.append(now.timeIntervalSince(transaction.timestamp) * 1_000)
            if transaction.author.map({ $0 == Journal.end }) == true { isAtEnd = true }
        }
    }

    private mutating func mix(_ number: Int64) {
        digest = (digest ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3
    }

    /// The line that says it: count, last, digest, and the median and the 95th percentile of the
    /// delays.
    var line: String {
        let sorted = delays.sorted()
        func share(_ part: Double) -> Int {
            sorted.isEmpty ? 0 : Int(sorted[Int(Double(sorted.count - 1) * part)].rounded(.up))
        }
        return "read \(count) \(last) \(digest) \(share(0.5)) \(share(0.95))"
    }
}
