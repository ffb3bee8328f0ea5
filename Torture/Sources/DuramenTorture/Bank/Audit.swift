import Duramen
import Foundation

/// What an audit of a bank found.
struct Audit {
    /// Whether the accounts exist.
    var isFounded: Bool
    /// The number of entries in the journal, which are numbered from 1.
    var lastEntry = 0
    /// The attempts that the journal has entries of.
    var attempts: Set<Int> = []
    /// The portraits that stand in files.
    var largePortraits: Set<Data> = []
}

/// What is wrong with a bank although no error was thrown.
struct Unsound: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Bank {
    /// Reads everything, along attributes and along relationships both ways.
    ///
    /// - Throws: ``Unsound``, or why something could not be read.
    func audit() throws -> Audit {
        let accounts = try context.fetch(.all("Account").sorted(by: "number"))
        let entries = try context.fetch(.all("Entry").sorted(by: "number"))
        if accounts.isEmpty {
            if !entries.isEmpty { throw Unsound("\(entries.count) entries and no account") }
            return Audit(isFounded: false)
        }
        guard accounts.count == Self.accountCount else {
            throw Unsound("\(accounts.count) accounts of \(Self.accountCount)")
        }
        var audit = Audit(isFounded: true)
        var balances = Array(repeating: Self.openingBalance, count: accounts.count)
        var lastEntries = Array(repeating: 0, count: accounts.count)
        var debits = Array(repeating: 0, count: accounts.count)
        for (place, entry) in entries.enumerated() {
            let number = try entry.integer("number")
            guard number == place + 1 else {
                throw Unsound("entry \(place + 1) of the journal has the number \(number)")
            }
            guard let source = try entry.object("source"),
                let destination = try entry.object("destination")
            else { throw Unsound("entry \(number) has no accounts") }
            let (from, to) = (try source.integer("number"), try destination.integer("number"))
            guard balances.indices.contains(from), balances.indices.contains(to) else {
                throw Unsound("entry \(number) leads to accounts \(from) and \(to)")
            }
            balances[from] -= try entry.integer("amount")
            balances[to] += try entry.integer("amount")
            lastEntries[from] = number
            lastEntries[to] = number
            debits[from] += 1
            guard audit.attempts.insert(try entry.integer("attempt")).inserted else {
                throw Unsound("the attempt of entry \(number) is in the journal twice")
            }
        }
        audit.lastEntry = entries.count
        for (number, account) in accounts.enumerated() {
            try check(account, number, balances[number], lastEntries[number], debits[number])
            if let portrait = try account.bytes("portrait"),
                portrait.count > Self.largestInlinePortrait
            {
                audit.largePortraits.insert(portrait)
            }
        }
        return audit
    }

    private func check(
        _ account: ManagedObject, _ number: Int, _ balance: Int, _ lastEntry: Int, _ debits: Int
    ) throws {
        let found = try account.integer("number")
        guard found == number else { throw Unsound("account \(number) has the number \(found)") }
        let stored = try account.integer("balance")
        guard stored == balance else {
            throw Unsound("account \(number) has \(stored), and by the journal \(balance)")
        }
        guard try account.integer("lastEntry") == lastEntry else {
            throw Unsound("account \(number) does not know its last entry, \(lastEntry)")
        }
        guard try account.text("padding") == Self.padding(account: number, entry: lastEntry) else {
            throw Unsound("the padding of account \(number) is not that of entry \(lastEntry)")
        }
        let portrait = try account.bytes("portrait")
        guard portrait == Self.portrait(account: number, entry: lastEntry) else {
            throw Unsound("the portrait of account \(number) is not that of entry \(lastEntry)")
        }
        let count = try account.objects("debits").count
        guard count == debits else {
            throw Unsound("account \(number) leads to \(count) of its \(debits) debits")
        }
    }
}
