public import Foundation

/// A place in the histories of one store or more: everything up to a transaction of each.
///
/// A value to keep: in a file, in another store, or as text. Tokens are ordered as places are: one
/// is before another when it is so in some store and in no store behind; of two that are ahead of
/// each other in different stores neither is.
public struct PersistentHistoryToken: Sendable, Hashable {
    /// By store: the number of the last transaction that is behind the place.
    public private(set) var transactionNumbers: [UUID: Int64]

    /// Names a place.
    ///
    /// - Parameter transactionNumbers: By store: the number of a transaction, 0 for before the
    ///   first one.
    public init(_ transactionNumbers: [UUID: Int64] = [:]) {
        self.transactionNumbers = transactionNumbers.mapValues { max(0, $0) }
    }

    /// The number of the last transaction of a store that is behind the place; nil when the token
    /// does not speak of the store.
    public func transactionNumber(in store: UUID) -> Int64? { transactionNumbers[store] }

    /// Returns this token with another position in one store.
    public func at(_ transactionNumber: Int64, in store: UUID) -> PersistentHistoryToken {
        var copy = self
        copy.transactionNumbers[store] = max(0, transactionNumber)
        return copy
    }

    /// The farther place of both, store by store.
    public func union(_ other: PersistentHistoryToken) -> PersistentHistoryToken {
        PersistentHistoryToken(
            transactionNumbers.merging(other.transactionNumbers, uniquingKeysWith: max))
    }
}

extension PersistentHistoryToken: LosslessStringConvertible {
    /// Stores and numbers, such as `8D6C…-F00D:42`, several joined by commas.
    public var description: String {
        transactionNumbers.map { "\($0.key.uuidString):\($0.value)" }.sorted().joined(
            separator: ",")
    }

    /// Parses a ``description``; nil if the text is not one.
    public init?(_ description: String) {
        self.init()
        if description.isEmpty { return }
        for part in description.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: ":", omittingEmptySubsequences: false)
            guard ends.count == 2, let store = UUID(uuidString: String(ends[0])),
                let number = Int64(ends[1]), number >= 0,
                transactionNumbers.updateValue(number, forKey: store) == nil
            else { return nil }
        }
    }
}

extension PersistentHistoryToken: Codable {
    /// Reads the text of a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let token = PersistentHistoryToken(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A history token is a list of stores and numbers, such as "
                    + "'\(UUID().uuidString):42'; this text is none.")
        }
        self = token
    }

    /// Writes the text of a token.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
