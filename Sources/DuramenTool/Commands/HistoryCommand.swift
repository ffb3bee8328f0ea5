import ArgumentParser
import DuramenModel
import DuramenStore
import Foundation

/// `duramen history`
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints who changed what in a store, oldest first.",
        discussion: """
            The store has to keep a history, as stores do that were opened with keepingHistory(), and those of \
            Core Data with NSPersistentHistoryTrackingKey. Last values of deleted objects are printed where their \
            attributes are preserved; those of confidential attributes as •••. The last line is the token to go on \
            from.
            """)

    @Argument(help: "A path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @Option(
        help: .init(
            "Begin behind this token, or behind the transaction of this number.", valueName: "token"
        ))
    var after: HistoryPlace?

    @Option(help: .init("Print transactions of this author only.", valueName: "name"))
    var author: String?

    @Option(help: "How many transactions to print at most.")
    var limit: Int?

    @Flag(help: "Leave out what changed.")
    var transactionsOnly = false

    @Flag(help: "Print a JSON object for each transaction, one a line.")
    var json = false

    @Flag(help: "Print the values of confidential attributes too.")
    var showConfidential = false

    @OptionGroup var model: ModelArguments

    private static var transactionsPerPage: Int { 500 }

    func validate() throws {
        if limit ?? 0 < 0 {
            throw ValidationError("The value of '--limit' must not be negative.")
        }
    }

    func run() throws {
        do throws(StoreError) {
            let opened = try model.open(NamedStore(store))
            try write(opened)
            try opened.close()
        } catch {
            throw StoreFailure(error)
        }
    }

    private func write(_ opened: any PersistentStore) throws(StoreError) {
        let history = try opened.historyTracking()
        guard let extent = try history.historyExtent() else {
            throw StoreError(
                .historyMissing,
                "'\(NamedStore(store).path)' keeps no history; "
                    + "only a program can begin one, with keepingHistory().")
        }
        let output = OutputStream()
        let lines = HistoryLines(model: opened.model, showsConfidential: showConfidential)
        var place =
            try after.map { (place) throws(StoreError) in
                try place.number(in: opened.handle.uuid)
            } ?? extent.deletedThrough
        var count = 0
        while count < limit ?? .max {
            let page = try history.page(
                HistoryRequest(
                    after: place, through: extent.last, limit: Self.transactionsPerPage,
                    includesChanges: !transactionsOnly))
            if page.isEmpty { break }
            for transaction in page where count < limit ?? .max {
                place = transaction.transactionNumber
                if let author, StoredText(author) != transaction.author.map({ StoredText($0) }) {
                    continue
                }
                count += 1
                try output.write(
                    json ? lines.json(transaction) : lines.text(transaction))
            }
        }
        if !json, let uuid = opened.handle.uuid {
            try output.write("token \(PersistentHistoryToken([uuid: place]))\n")
        }
        try output.flush()
    }
}

/// A position in the history of one store, as an argument.
struct HistoryPlace: ExpressibleByArgument {
    private let token: PersistentHistoryToken?
    private let number: Int64?

    init?(argument: String) {
        number = Int64(argument)
        token = PersistentHistoryToken(argument)
        if number.map({ $0 < 0 }) ?? (token == nil || argument.isEmpty) { return nil }
    }

    func number(in store: UUID?) throws(StoreError) -> Int64 {
        if let number { return number }
        guard let store, let found = token?.transactionNumber(in: store) else {
            throw StoreError(
                .historyTokenUnknown,
                "The token is of another store; take the last line that 'duramen history' printed for this one."
            )
        }
        return found
    }
}
