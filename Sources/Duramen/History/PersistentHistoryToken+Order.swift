// Here rather than beside the type, because an application sees the operators of this module only.
public import DuramenStore

extension PersistentHistoryToken {
    /// Whether everything behind `a` is behind `b`.
    public static func <= (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool {
        a.transactionNumbers.allSatisfy { store, number in
            b.transactionNumbers[store].map { number <= $0 } ?? false
        }
    }

    /// Whether everything behind `a` is behind `b`, which is another position.
    public static func < (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool {
        a <= b && a != b
    }

    /// Whether everything behind `b` is behind `a`.
    public static func >= (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool { b <= a }

    /// Whether everything behind `b` is behind `a`, which is another position.
    public static func > (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool { b < a }
}
