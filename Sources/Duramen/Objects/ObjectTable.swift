/// The objects of one entity hierarchy that a context has registered, by key.
///
/// Sixty-four neighbouring keys share a page of strong references; pages are found by open addressing.
/// In order of keys a find costs a comparison and a load, and filling costs a store.
final class ObjectTable {
    typealias Page = UnsafeMutablePointer<ManagedObject?>
    static let pageShift: Int64 = 6
    static let pageSize = 64

    private var numbers: UnsafeMutablePointer<Int64>
    private var pages: UnsafeMutablePointer<Page?>
    private var mask: Int
    private var shift: UInt64
    private var pageCount = 0
    @exclusivity(unchecked) private var lastNumber = Int64.min
    @exclusivity(unchecked) private var lastPage: Page
    private let noPage: Page
    private var hand = 0

    /// How many objects were put in since the last sweep.
    @exclusivity(unchecked) private(set) var registeredSinceSweep = 0
    /// How many objects are in the table.
    @exclusivity(unchecked) private(set) var count = 0

    /// Objects that are likely to be read next, newest last; some may be read or gone since.
    private(set) var likelyFaults: [ManagedObjectID] = []

    init() {
        mask = 15
        shift = 60
        numbers = .allocate(capacity: 16)
        pages = .allocate(capacity: 16)
        pages.initialize(repeating: nil, count: 16)
        noPage = .allocate(capacity: 1)
        lastPage = noPage
    }

    deinit {
        removeAll()
        numbers.deallocate()
        pages.deallocate()
        noPage.deallocate()
    }

    /// The object with a key; nil when it is not registered.
    @inline(__always) func find(_ key: Int64) -> ManagedObject? {
        let number = key >> Self.pageShift
        if number != lastNumber, !findPage(number) { return nil }
        return lastPage[Int(key & 63)]
    }

    /// Puts an object in, in place of any other with the key.
    @inline(__always) func insert(_ object: consuming ManagedObject, key: Int64) {
        let number = key >> Self.pageShift
        if number != lastNumber, !findPage(number) { makePage(number) }
        let place = lastPage + Int(key & 63)
        if place.pointee == nil {
            count &+= 1
            registeredSinceSweep &+= 1
        }
        place.pointee = object
    }

    /// Gives an object that is in the table another key, which no object has.
    func move(from old: Int64, to new: Int64) {
        guard findPage(old >> Self.pageShift) else { return }
        let source = lastPage + Int(old & 63)
        let number = new >> Self.pageShift
        // The page of the source stays where it is, since it is not empty.
        if !findPage(number) { makePage(number) }
        // Sound: references may be moved as bytes; the new place holds none.
        UnsafeMutableRawPointer(lastPage + Int(new & 63))
            .copyMemory(from: source, byteCount: MemoryLayout<ManagedObject?>.size)
        source.initialize(to: nil)
    }

    /// Takes out the object with a key.
    func remove(_ key: Int64) {
        guard findPage(key >> Self.pageShift), lastPage[Int(key & 63)] != nil else { return }
        count -= 1
        lastPage[Int(key & 63)] = nil
    }

    /// Takes out all objects.
    func removeAll() {
        for index in 0...mask {
            guard let page = pages[index] else { continue }
            pages[index] = nil
            page.deinitialize(count: Self.pageSize)
            page.deallocate()
        }
        lastNumber = .min
        lastPage = noPage
        likelyFaults = []
        count = 0
        pageCount = 0
        registeredSinceSweep = 0
    }

    /// Calls `body` with every object, in no order.
    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0...mask {
            guard let page = pages[index] else { continue }
            for place in 0..<Self.pageSize {
                if let object = page[place] { body(object) }
            }
        }
    }

    /// Notes an object that is likely to be read soon, so that it is read together with others.
    func expectFault(of id: ManagedObjectID) {
        if likelyFaults.count >= 4096 { likelyFaults.removeFirst(2048) }
        likelyFaults.append(id)
    }

    /// The object noted last.
    func takeLikelyFault() -> ManagedObjectID? { likelyFaults.popLast() }

    /// Takes out objects that nobody else holds and that have nothing to save.
    ///
    /// A hand moves over the pages, so that repeated sweeps visit all objects in turn.
    /// - Parameter limit: How many objects to visit at least, if there are so many; nil for all.
    func sweep(limit: Int? = nil) {
        var visited = 0
        let goal = min(limit ?? .max, count)
        var steps = 0
        while steps <= mask, visited < goal {
            hand = (hand + 1) & mask
            steps += 1
            guard let page = pages[hand] else { continue }
            for place in 0..<Self.pageSize where page[place] != nil {
                visited += 1
                if isSweepable(page + place) { sweepPlace(page + place) }
            }
        }
        registeredSinceSweep = 0
        likelyFaults = []
        if count * 8 < pageCount * Self.pageSize, pageCount > 64 { rebuild(mask: mask) }
    }

    /// A function of its own, so that no reference is left when the count of references is asked for.
    @inline(never) private func isSweepable(_ place: Page) -> Bool {
        place.pointee?.isSweepable ?? false
    }

    private func sweepPlace(_ place: Page) {
        if isKnownUniquelyReferenced(&place.pointee) {
            place.pointee = nil
            count -= 1
        }
    }

    // MARK: - Pages

    private func slot(_ number: Int64) -> Int {
        let hash = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
        var index = Int(truncatingIfNeeded: hash >> shift)
        while pages[index] != nil, numbers[index] != number { index = (index &+ 1) & mask }
        return index
    }

    /// Makes the page of a number the last one; false when there is none.
    @inline(never) private func findPage(_ number: Int64) -> Bool {
        if number == lastNumber { return true }
        guard let page = pages[slot(number)] else { return false }
        lastNumber = number
        lastPage = page
        return true
    }

    @inline(never) private func makePage(_ number: Int64) {
        if pageCount * 2 > mask { rebuild(mask: mask * 2 + 1) }
        let page = Page.allocate(capacity: Self.pageSize)
        page.initialize(repeating: nil, count: Self.pageSize)
        let index = slot(number)
        numbers[index] = number
        pages[index] = page
        pageCount += 1
        lastNumber = number
        lastPage = page
    }

    /// Moves the pages into a table of another size, and frees empty ones.
    private func rebuild(mask newMask: Int) {
        let (oldNumbers, oldPages, oldMask) = (numbers, pages, mask)
        mask = newMask
        shift = UInt64(64 - (newMask + 1).trailingZeroBitCount)
        numbers = .allocate(capacity: mask + 1)
        pages = .allocate(capacity: mask + 1)
        pages.initialize(repeating: nil, count: mask + 1)
        pageCount = 0
        for index in 0...oldMask {
            guard let page = oldPages[index] else { continue }
            if (0..<Self.pageSize).allSatisfy({ page[$0] == nil }) {
                page.deinitialize(count: Self.pageSize)
                page.deallocate()
                continue
            }
            let place = slot(oldNumbers[index])
            numbers[place] = oldNumbers[index]
            pages[place] = page
            pageCount += 1
        }
        oldNumbers.deallocate()
        oldPages.deallocate()
        lastNumber = .min
        lastPage = noPage
        hand = 0
    }
}
