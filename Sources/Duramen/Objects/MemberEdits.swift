import DuramenModel

/// The edits of a to-many, in order.
///
/// Each takes eight bytes, because consecutive edits mostly have one entity and kind. An import
/// edits its owners in random order, and processors cannot predict the memory that it writes for
/// each.
struct MemberEdits: Sequence {
    typealias Element = (id: ManagedObjectID, isAdded: Bool)

    private struct Kind: Equatable {
        // An ID of which only the entity and the store are used.
        let id: ManagedObjectID
        let isAdded: Bool

        init(_ id: ManagedObjectID, _ isAdded: Bool) {
            self.id = id.withKey(0)
            self.isAdded = isAdded
        }
    }

    private var keys = ContiguousArray<Int64>()
    /// The kind of the edits after ``earlier``; nil if there are none.
    private var kind: Kind?
    /// The kinds of the earlier edits, and where each ends.
    private var earlier: [(kind: Kind, end: Int)] = []

    init() {}

    init(_ edits: some Sequence<Element>) {
        for edit in edits { append(edit.id, isAdded: edit.isAdded) }
    }

    var isEmpty: Bool { keys.isEmpty }
    var count: Int { keys.count }

    /// Returns the edits without the first ones.
    func dropFirst(_ count: Int) -> some Sequence<Element> {
        sequence(state: Iterator(self, from: count)) { $0.next() }
    }

    @inline(__always) mutating func append(_ id: ManagedObjectID, isAdded: Bool) {
        let added = Kind(id, isAdded)
        if kind != added { begin(added) }
        keys.append(id.key)
    }

    @inline(never) private mutating func begin(_ added: Kind) {
        if let kind { earlier.append((kind, keys.count)) }
        kind = added
    }

    mutating func removeAll(where isRemoved: (Element) -> Bool) {
        self = MemberEdits(filter { !isRemoved($0) })
    }

    struct Iterator: IteratorProtocol {
        fileprivate let edits: MemberEdits
        private var index: Int
        private var part = 0

        fileprivate init(_ edits: MemberEdits, from index: Int = 0) {
            self.edits = edits
            self.index = index
        }

        mutating func next() -> Element? {
            guard index < edits.keys.count else { return nil }
            while part < edits.earlier.count, index >= edits.earlier[part].end { part += 1 }
            let kind = part < edits.earlier.count ? edits.earlier[part].kind : edits.kind
            defer { index += 1 }
            return kind.map { ($0.id.withKey(edits.keys[index]), $0.isAdded) }
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }
}
