import DuramenModel

/// The references that objects own while many objects end one after the other: those to a plan and
/// a block that several objects share are given back at once, which costs as much as giving back
/// one of each.
///
/// An object hands its references over in its own `deinit`, when nobody can get hold of it any
/// more: not even a weak reference that another thread loads while the context ends.
struct CollectedReferences: ~Copyable {
    // Sound: so many references to each are owned here.
    private var plan: UnsafeMutableRawPointer?
    private var planCount: UInt32 = 0
    private var block: UnsafeMutableRawPointer?
    private var blockCount: UInt32 = 0

    /// Runs a function that gives up many objects, and collects what they own.
    static func collecting(_ body: () -> Void) {
        var references = CollectedReferences()
        // Application code may run in a `deinit`, and end another context.
        let outer = collectorOfThread
        // Sound: the address is used by this thread only, and only until the function returns.
        withUnsafeMutablePointer(to: &references) { pointer in
            collectorOfThread = UnsafeMutableRawPointer(pointer)
            body()
            collectorOfThread = outer
        }
    }

    /// Takes the references of an object that ends; false when nothing collects on this thread.
    // Sound: the object owns one reference to each, and gives it up.
    @inline(__always)
    static func take(
        plan: Unmanaged<AnyObject>, block: Unmanaged<RowStorage>?
    ) -> Bool {
        guard let collector = collectorOfThread else { return false }
        // Sound: only `collecting` sets it.
        collector.assumingMemoryBound(to: CollectedReferences.self)
            .pointee.add(plan.toOpaque(), block?.toOpaque())
        return true
    }

    private mutating func add(
        _ newPlan: UnsafeMutableRawPointer, _ newBlock: UnsafeMutableRawPointer?
    ) {
        if plan != newPlan {
            let (old, count) = (plan, planCount)
            (plan, planCount) = (newPlan, 0)
            if let old { release(old, count: count) }
        }
        planCount += 1
        guard let newBlock else { return }
        if block != newBlock {
            let (old, count) = (block, blockCount)
            (block, blockCount) = (newBlock, 0)
            if let old { release(old, count: count) }
        }
        blockCount += 1
    }

    deinit {
        if let plan { release(plan, count: planCount) }
        if let block { release(block, count: blockCount) }
    }
}
