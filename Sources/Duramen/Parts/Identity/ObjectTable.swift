/// The registered objects of one entity hierarchy, by key.
///
/// Each page holds strong references for 64 consecutive keys. Stores allocate low keys first. Their
/// pages are in a directory by page number, which grows for a number below four times the count of
/// pages. All other pages are found by open addressing. A look-up in the directory costs a
/// comparison and two loads.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
final class ObjectTable {
    typealias Page = UnsafeMutablePointer<ManagedObject?>
    static let pageShift: Int64 = 6
    static let pageSize = 64

    @exclusivity(unchecked) private var directory: UnsafeMutablePointer<Page?>
    @exclusivity(unchecked) private var directorySize = 0
    private var numbers: UnsafeMutablePointer<Int64>
    private var pages: UnsafeMutablePointer<Page?>
    private var mask: Int
    private var shift: UInt64
    /// The number of pages, and of pages outside the directory.
    private var pageCount = 0
    private var hashedCount = 0
    /// The last used page outside the directory.
    @exclusivity(unchecked) private var lastNumber = Int64.min
    @exclusivity(unchecked) private var lastPage: Page
    private let noPage: Page
    private var hand = 0

    /// The number of objects inserted since the last sweep.
    @exclusivity(unchecked) private(set) var registeredSinceSweep = 0
    /// Whether some objects were swept during a unit of work, so that its end sweeps all.
    var wasSweptWithinUnit = false
    /// The number of objects in the table.
    @exclusivity(unchecked) private(set) var count = 0

    /// Objects that are likely to be loaded next, newest last; some may be loaded or gone.
    private(set) var likelyFaults: [ManagedObjectID] = []

    init() {
        directory = .allocate(capacity: 0)
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
        directory.deallocate()
        numbers.deallocate()
        pages.deallocate()
        noPage.deallocate()
    }

    /// Returns the object with a key; nil if it is not registered.
    @inline(__always) func find(_ key: Int64) -> ManagedObject? {
        let number = key >> Self.pageShift
        if isDirect(number) { return findDirect(key) }
        return findHashed(number) ? lastPage[Int(key & 63)] : nil
    }

    /// Returns the object with a key whose page is in the directory; nil for other keys.
    @inline(__always) func findDirect(_ key: Int64) -> ManagedObject? {
        findBorrowed(key)?.object
    }

    /// Returns the object with a key whose page is in the directory, without counting a reference;
    /// nil for other keys.
    @inline(__always) func findBorrowed(_ key: Int64) -> Borrowed<ManagedObject>? {
        let number = key >> Self.pageShift
        guard isDirect(number), let page = directory[Int(number)] else { return nil }
        // Sound: the table keeps the object, and the caller does not change the table meanwhile. An
        // optional reference has the layout of an unmanaged one.
        return UnsafeRawPointer(page + Int(key & 63))
            .load(as: Unmanaged<ManagedObject>?.self).map(Borrowed.init)
    }

    /// Inserts an object, and replaces any other with its key.
    @inline(__always) func insert(_ object: consuming ManagedObject, key: Int64) {
        let entry = page(key >> Self.pageShift) + Int(key & 63)
        if entry.pointee == nil {
            count &+= 1
            registeredSinceSweep &+= 1
        }
        entry.pointee = object
    }

    /// Changes the key of an object in the table; the new key must be free.
    func move(from old: Int64, to new: Int64) {
        guard let source = entry(of: old) else { return }
        // The page of the source stays valid, because it is not empty.
        let destination = page(new >> Self.pageShift) + Int(new & 63)
        // Sound: references may be moved as bytes; the new entry holds none.
        UnsafeMutableRawPointer(destination)
            .copyMemory(from: source, byteCount: MemoryLayout<ManagedObject?>.size)
        source.initialize(to: nil)
    }

    /// Reserves storage for consecutive keys, so that the directory grows only once.
    func expect(keysBelow end: Int64, count: Int) {
        let last = (end - 1) >> Self.pageShift
        if last >= directorySize, last < 4 * (pageCount + count >> Self.pageShift) {
            growDirectory(for: last)
        }
    }

    /// Removes the object with a key.
    func remove(_ key: Int64) {
        guard let entry = entry(of: key), entry.pointee != nil else { return }
        count -= 1
        entry.pointee = nil
    }

    /// Removes all objects.
    func removeAll() {
        let isLarge = count >= ObjectRelease.fewest
        var release = ObjectRelease(capacity: isLarge ? count : 0)
        for index in 0..<placeCount {
            guard let page = self[index] else { continue }
            self[index] = nil
            if isLarge {
                release.take(page, count: Self.pageSize)
            } else {
                for entry in 0..<Self.pageSize { page[entry] = nil }
            }
            free(page)
        }
        lastNumber = .min
        lastPage = noPage
        likelyFaults = []
        count = 0
        hashedCount = 0
        registeredSinceSweep = 0
        release.finish()
    }

    /// Calls `body` with every object, in any order.
    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0..<placeCount {
            guard let page = self[index] else { continue }
            for entry in 0..<Self.pageSize {
                if let object = page[entry] { body(object) }
            }
        }
    }

    /// Records an object that is likely to be loaded soon, so that it joins a group.
    func expectFault(of id: ManagedObjectID) {
        if likelyFaults.count >= Swift.max(4096, 2 * count) {
            likelyFaults.removeFirst(likelyFaults.count / 2)
        }
        likelyFaults.append(id)
    }

    /// Removes and returns the object that was recorded last.
    func takeLikelyFault() -> ManagedObjectID? { likelyFaults.popLast() }

    /// Releases objects that nothing else references and that have no changes to save.
    ///
    /// The position is kept, so that repeated sweeps visit all objects in turn.
    /// - Parameter limit: The least number of objects to visit, if there are as many; nil for all.
    func sweep(limit: Int? = nil) {
        var visited = 0
        let goal = min(limit ?? .max, count)
        var steps = 0
        let placeCount = placeCount
        while steps < placeCount, visited < goal {
            hand = hand + 1 < placeCount ? hand + 1 : 0
            steps += 1
            guard let page = self[hand] else { continue }
            for entry in 0..<Self.pageSize where page[entry] != nil {
                visited += 1
                if isSweepable(page + entry) { sweepEntry(page + entry) }
            }
        }
        registeredSinceSweep = 0
        wasSweptWithinUnit = false
        likelyFaults = []
        if count * 8 < pageCount * Self.pageSize, pageCount > 64 { freeEmptyPages() }
    }

    /// A separate function, so that it leaves no reference when the reference count is tested.
    @inline(never) private func isSweepable(_ entry: Page) -> Bool {
        entry.pointee?.isSweepable ?? false
    }

    private func sweepEntry(_ entry: Page) {
        if isKnownUniquelyReferenced(&entry.pointee) {
            entry.pointee = nil
            count -= 1
        }
    }

    // MARK: - Pages

    /// The number of places for pages: first the directory, then the others.
    private var placeCount: Int { directorySize + mask + 1 }

    private subscript(index: Int) -> Page? {
        get { index < directorySize ? directory[index] : pages[index - directorySize] }
        set {
            if index < directorySize {
                directory[index] = newValue
            } else {
                pages[index - directorySize] = newValue
            }
        }
    }

    /// Whether the page of a number, if it exists, is in the directory.
    @inline(__always) private func isDirect(_ number: Int64) -> Bool {
        UInt64(bitPattern: number) < UInt64(bitPattern: Int64(directorySize))
    }

    /// Returns the page of a number, and creates it if needed.
    @inline(__always) private func page(_ number: Int64) -> Page {
        if isDirect(number), let page = directory[Int(number)] { return page }
        return number == lastNumber ? lastPage : findOrMakePage(number)
    }

    private func entry(of key: Int64) -> Page? {
        let number = key >> Self.pageShift
        if isDirect(number) {
            return directory[Int(number)].map { $0 + Int(key & 63) }
        }
        return findHashed(number) ? lastPage + Int(key & 63) : nil
    }

    private func slot(_ number: Int64) -> Int {
        let hash = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
        var index = Int(truncatingIfNeeded: hash >> shift)
        while pages[index] != nil, numbers[index] != number { index = (index &+ 1) & mask }
        return index
    }

    /// Makes the page of a number outside the directory the last used one; false if it does not
    /// exist.
    @inline(never) private func findHashed(_ number: Int64) -> Bool {
        if number == lastNumber { return true }
        guard let page = pages[slot(number)] else { return false }
        lastNumber = number
        lastPage = page
        return true
    }

    @inline(never) private func findOrMakePage(_ number: Int64) -> Page {
        if number >= directorySize, number < max(64, 4 * pageCount) { growDirectory(for: number) }
        if isDirect(number) {
            let page = directory[Int(number)] ?? makePage()
            directory[Int(number)] = page
            return page
        }
        if findHashed(number) { return lastPage }
        if hashedCount * 2 > mask { rebuild(mask: mask * 2 + 1) }
        let page = makePage()
        put(page, number)
        lastNumber = number
        lastPage = page
        return page
    }

    private func makePage() -> Page {
        let page = Page.allocate(capacity: Self.pageSize)
        page.initialize(repeating: nil, count: Self.pageSize)
        pageCount += 1
        return page
    }

    private func put(_ page: Page, _ number: Int64) {
        let index = slot(number)
        numbers[index] = number
        pages[index] = page
        hashedCount += 1
    }

    /// Grows the directory for a number, and moves the pages that now belong there.
    private func growDirectory(for number: Int64) {
        var size = max(64, directorySize)
        while size <= number { size *= 2 }
        let old = directory
        directory = .allocate(capacity: size)
        directory.initialize(repeating: nil, count: size)
        for index in 0..<directorySize { directory[index] = old[index] }
        old.deallocate()
        directorySize = size
        hand = 0
        rebuild(mask: mask)
    }

    private func freeEmptyPages() {
        for index in 0..<directorySize {
            guard let page = directory[index], isEmpty(page) else { continue }
            directory[index] = nil
            free(page)
        }
        rebuild(mask: mask)
    }

    private func isEmpty(_ page: Page) -> Bool {
        (0..<Self.pageSize).allSatisfy { page[$0] == nil }
    }

    private func free(_ page: Page) {
        page.deinitialize(count: Self.pageSize)
        page.deallocate()
        pageCount -= 1
    }

    /// Moves the pages outside the directory to a table of another size, or to the directory. Frees
    /// empty ones.
    private func rebuild(mask newMask: Int) {
        let (oldNumbers, oldPages, oldMask) = (numbers, pages, mask)
        mask = newMask
        shift = UInt64(64 - (newMask + 1).trailingZeroBitCount)
        numbers = .allocate(capacity: mask + 1)
        pages = .allocate(capacity: mask + 1)
        pages.initialize(repeating: nil, count: mask + 1)
        hashedCount = 0
        for index in 0...oldMask {
            guard let page = oldPages[index] else { continue }
            let number = oldNumbers[index]
            if isEmpty(page) {
                free(page)
            } else if isDirect(number) {
                directory[Int(number)] = page
            } else {
                put(page, number)
            }
        }
        oldNumbers.deallocate()
        oldPages.deallocate()
        lastNumber = .min
        lastPage = noPage
        hand = 0
    }
}
