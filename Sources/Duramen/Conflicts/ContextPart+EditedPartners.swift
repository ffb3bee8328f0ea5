import DuramenModel

extension ContextPart {
    /// Makes the partners of some objects refer back to them, where a one-to-one was edited here
    /// and is on top of what others saved.
    ///
    /// Others may have made the same edit first, and parted the two again or given the partner to a
    /// third. Then the end that was edited here has its edit and no conflict, and the other end,
    /// which needed no edit, has what others saved.
    func connectEditedPartners(of objects: some Sequence<ManagedObject>) {
        for object in objects where object.isUpdated && object.extra?.meanwhile == nil {
            for reference in object.plan.toOnes
            where !reference.inverse.isToMany && object.hasOwnDestination(of: reference) {
                guard let partner = object.destination(of: reference), partner.isThere,
                    !partner.isDeleted, let back = partner.plan.reference(for: reference.inverse)
                else { continue }
                let end = partner.destination(of: back)
                if end === object || end != nil && partner.hasOwnDestination(of: back) { continue }
                withoutRecordingUndo {
                    partner.setDestination(object, of: back, updatesInverse: true)
                }
            }
        }
    }
}
