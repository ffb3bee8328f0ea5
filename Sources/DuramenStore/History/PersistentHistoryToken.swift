public import Foundation

/// A position in the histories of one or more stores: after one transaction of each.
///
/// A value that you can keep in a file, in a store, or as text. A token is before another if it is
/// earlier in some store and later in none. Two tokens, each earlier in a different store, are not
/// ordered.
public struct PersistentHistoryToken: Sendable, Hashable {
    /// The number of the last transaction before the position, by store.
    public private(set) var transactionNumbers: [UUID: Int64]

    /// Creates a position.
    ///
    /// - Parameter transactionNumbers: By store, the number of a transaction; 0 for the beginning.
    public init(_ transactionNumbers: [UUID: Int64] = [:]) {
        self.transactionNumbers = transactionNumbers.mapValues { max(0, $0) }
    }

    /// Returns the number of the last transaction of a store before the position; nil when the
    /// token does not contain the store.
    public func transactionNumber(in store: UUID) -> Int64? { transactionNumbers[store] }

    /// Returns this token with another position in one store.
    public func at(_ transactionNumber: Int64, in store: UUID) -> PersistentHistoryToken {
        var copy = self
        copy.transactionNumbers[store] = max(0, transactionNumber)
        return copy
    }

    /// Returns the later position of both tokens in each store.
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
    /// Decodes the text of a token.
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

    /// Encodes the text of a token.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
