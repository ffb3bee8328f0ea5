import Duramen
import DuramenTestKit
import Foundation

/// The work on a bank, and its audit. Every function is called inside one unit of work.
struct Bank {
    static let accountCount = 100
    static let openingBalance = 1_000

    let context: ManagedObjectContext

    // MARK: - Working

    /// Makes the accounts, in one save.
    func found() throws {
        for number in 0..<Self.accountCount {
            let account = try context.insert("Account")
            try account.setValue(number, forKey: "number")
            try account.setValue(Self.openingBalance, forKey: "balance")
            try account.setValue(0, forKey: "lastEntry")
            try account.setValue(Self.padding(account: number, entry: 0), forKey: "padding")
        }
        try context.save()
    }

    func isFounded() throws -> Bool { try context.count(for: .all("Account")) > 0 }

    /// The number of the newest journal entry; 0 for none.
    func lastEntry() throws -> Int {
        try context.fetch(.all("Entry").sorted(by: "number", .descending).limit(1)).first?
            .integer("number") ?? 0
    }

    /// Moves money between two accounts and writes it into the journal, in one save.
    ///
    /// - Parameters:
    ///   - attempt: A number that no other attempt has, which the entry keeps.
    ///   - note: Text that only takes room.
    func transfer(
        entry number: Int, attempt: Int, note: String? = nil, random: inout SplitMix64
    ) throws {
        let from = Int.random(in: 0..<Self.accountCount, using: &random)
        let step = Int.random(in: 1..<Self.accountCount, using: &random)
        let to = (from + step) % Self.accountCount
        let found = try context.fetch(.all("Account").where(.keyPath("number", .isIn, [from, to])))
        guard found.count == 2 else { throw TortureError("\(found.count) of 2 accounts found") }
        let isInOrder = try found[0].integer("number") == from
        let (source, destination) = isInOrder ? (found[0], found[1]) : (found[1], found[0])
        let amount = Int.random(in: 1...50, using: &random)
        for (account, change) in [(source, -amount), (destination, amount)] {
            try account.setValue(account.integer("balance") + change, forKey: "balance")
            try account.setValue(number, forKey: "lastEntry")
            let holder = try account.integer("number")
            try account.setValue(
                Self.padding(account: holder, entry: number), forKey: "padding")
            try account.setValue(
                Self.portrait(account: holder, entry: number), forKey: "portrait")
        }
        let entry = try context.insert("Entry")
        try entry.setValue(number, forKey: "number")
        try entry.setValue(attempt, forKey: "attempt")
        try entry.setValue(amount, forKey: "amount")
        try entry.setValue(note, forKey: "note")
        try entry.setValue(source, forKey: "source")
        try entry.setValue(destination, forKey: "destination")
        try context.save()
    }

    /// Gives ten accounts another padding, in one save; the next round takes the next ten.
    func rewrite(round: Int) throws {
        let numbers = (0..<10).map { (round * 10 + $0) % Self.accountCount }
        for account in try context.fetch(.all("Account").where(.keyPath("number", .isIn, numbers)))
        {
            let number = try account.integer("number")
            try account.setValue(Self.padding(account: number, entry: -round), forKey: "padding")
        }
        try context.save()
    }

    /// Gives every account the padding back that an audit expects.
    func restore() throws {
        for account in try context.fetch(.all("Account")) {
            let (number, entry) = (try account.integer("number"), try account.integer("lastEntry"))
            try account.setValue(Self.padding(account: number, entry: entry), forKey: "padding")
        }
        try context.save()
    }

    /// Text that follows from an account and its last entry. One in eight is longer than a page.
    static func padding(account: Int, entry: Int) -> String {
        var random = SplitMix64(seed: UInt64(account), case: entry)
        let length =
            Int.random(in: 0..<8, using: &random) == 0
            ? Int.random(in: 4_000...9_000, using: &random)
            : Int.random(in: 20...400, using: &random)
        let letter = UInt8.random(in: 97...122, using: &random)
        return String(decoding: repeatElement(letter, count: length), as: UTF8.self)
            + "\(account):\(entry)"
    }

    /// Bytes that follow from an account and its last entry. One in four gets a file of its own,
    /// which accounts with the same of five portraits share.
    static func portrait(account: Int, entry: Int) -> Data? {
        if entry == 0 { return nil }
        var random = SplitMix64(seed: UInt64(account), case: entry)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Data(repeating: UInt8(entry % 5), count: largestInlinePortrait + 1_000)
        case 1: return Data("\(account):\(entry)".utf8)
        default: return nil
        }
    }

    /// The bytes that a portrait has at most that stands in its row.
    static let largestInlinePortrait = 4_096
}
