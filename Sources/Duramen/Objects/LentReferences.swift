import CSwiftRuntime
import DuramenModel

/// The references of objects that are let go of one after the other: those to a plan and a block that several objects
/// share are given up at once, which costs as much as giving up one of each.
struct LentReferences: ~Copyable {
    // Sound: so many references to each are owned here.
    private var plan: Unmanaged<AnyObject>?
    private var planCount: UInt32 = 0
    private var block: Unmanaged<RowStorage>?
    private var blockCount: UInt32 = 0

    deinit {
        if let plan { swift_release_n(plan.toOpaque(), planCount) }
        if let block { swift_release_n(block.toOpaque(), blockCount) }
    }

    /// Lets go of an object.
    @inline(__always)
    mutating func release(_ object: consuming ManagedObject) {
        // Somebody else may keep it, with references of its own.
        guard isKnownUniquelyReferenced(&object), let lent = object.lend() else { return }
        if let plan, plan.toOpaque() != lent.plan.toOpaque() {
            swift_release_n(plan.toOpaque(), planCount)
            planCount = 0
        }
        (plan, planCount) = (lent.plan, planCount + 1)
        if let block, block.toOpaque() != lent.block.toOpaque() {
            swift_release_n(block.toOpaque(), blockCount)
            blockCount = 0
        }
        (block, blockCount) = (lent.block, blockCount + 1)
    }
}
