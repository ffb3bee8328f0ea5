/// A list of object references that are released in the order of their addresses.
///
/// Objects that were created in another order than their keys are far apart in memory when visited
/// by key. Each release then waits for memory, which is half the cost of releasing a million.
/// Objects lie in the order of their creation, so a rough order of addresses makes neighbours
/// follow each other.
struct ObjectRelease {
    /// A smaller number of objects fits the processor's caches in any order.
    static let fewest = 32_768
    private static let bucketBits = 12

    private var objects: [UnsafeRawPointer] = []
    private var stepsBack = 0

    init(capacity: Int) { objects.reserveCapacity(capacity) }

    /// Moves the references out of some slots, which are empty then.
    mutating func take(_ slots: UnsafeMutablePointer<ManagedObject?>, count: Int) {
        let slots = UnsafeMutableRawPointer(slots)
        for slot in 0..<count {
            let offset = slot * MemoryLayout<ManagedObject?>.stride
            // Sound: an optional reference is the object's address, or null. It is moved as bytes,
            // and nil is left.
            guard let object = slots.load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
            else { continue }
            if let last = objects.last, object < last { stepsBack += 1 }
            objects.append(object)
            slots.storeBytes(of: nil, toByteOffset: offset, as: UnsafeRawPointer?.self)
        }
    }

    /// Releases the references.
    mutating func finish() {
        // Objects created in the order of their keys are already ordered, or nearly so.
        if stepsBack * 16 > objects.count { order() }
        // Sound: each is an object whose reference was moved here.
        for object in objects { Unmanaged<ManagedObject>.fromOpaque(object).release() }
        objects = []
    }

    private mutating func order() {
        guard let first = objects.min(), let last = objects.max() else { return }
        let width = Int.bitWidth - (last - first).leadingZeroBitCount
        let shift = max(0, width - Self.bucketBits)
        // The position of each bucket's next object, after all objects of earlier buckets.
        var slots = Array(repeating: 0, count: 1 << Self.bucketBits)
        for object in objects { slots[(object - first) >> shift] += 1 }
        var sum = 0
        for bucket in slots.indices { (slots[bucket], sum) = (sum, sum + slots[bucket]) }
        objects = [UnsafeRawPointer](unsafeUninitializedCapacity: objects.count) {
            ordered, count in
            for object in objects {
                let bucket = (object - first) >> shift
                // Sound: the buckets divide the array, and each gets as many as were counted.
                ordered.initializeElement(at: slots[bucket], to: object)
                slots[bucket] += 1
            }
            count = objects.count
        }
    }
}
