// Here and not beside the type, because an application sees only this module's operators.
public import DuramenStore

extension PersistentHistoryToken {
    /// Whether every transaction after `b` is after `a` too, so that `a` is not later than `b`.
    public static func <= (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool {
        a.transactionNumbers.allSatisfy { store, number in
            b.transactionNumbers[store].map { number <= $0 } ?? false
        }
    }

    /// Whether `a` is earlier than `b`.
    public static func < (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool {
        a <= b && a != b
    }

    /// Whether every transaction after `a` is after `b` too, so that `a` is not earlier than `b`.
    public static func >= (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool { b <= a }

    /// Whether `a` is later than `b`.
    public static func > (a: PersistentHistoryToken, b: PersistentHistoryToken) -> Bool { b < a }
}
