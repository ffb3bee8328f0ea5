// A singleton holds a context.
// expected: static property 'shared' is not concurrency-safe because non-'Sendable' type 'Stack' may h
// differs: in one statement of several lines

import Duramen

#if TWIN
@MainActor private final class Stack {
    static let shared = Stack()
    var context: ManagedObjectContext?
}
#else
private final class Stack {
    static let shared = Stack()
    var context: ManagedObjectContext?
}
#endif
