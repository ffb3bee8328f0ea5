import DuramenModel

extension ContextPart {
    /// Makes the partners of some objects refer back to them, where a one-to-one was edited here
    /// and is on top of what others saved. Former partners no longer refer to them.
    ///
    /// Others may have made the same edit first, and parted the two again or given the partner to a
    /// third. Then the end that was edited here has its edit and no conflict, and the other end,
    /// which needed no edit, has what others saved.
    func connectEditedPartners(of objects: some Sequence<ManagedObject>) {
        for object in objects where object.isUpdated {
            for reference in object.plan.toOnes
            where !reference.inverse.isToMany && object.hasOwnDestination(of: reference) {
                leaveFormerPartner(of: object, reference)
                guard object.extra?.meanwhile == nil,
                    let partner = object.destination(of: reference), partner.isThere,
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

    /// Clears the reference back of the partner that an object had before it was edited here.
    ///
    /// The edit does so itself, unless the partner's values are older than the object's: others
    /// connected the two, and only the object was loaded since.
    private func leaveFormerPartner(of object: ManagedObject, _ reference: ReferencePlan) {
        guard let base = object.extra?.base,
            let former = object.destinationID(of: reference, in: base).flatMap(registerFault),
            former !== object, former.isThere,
            let back = former.plan.reference(for: reference.inverse),
            !former.hasOwnDestination(of: back)
        else { return }
        readAgainIfUnchanged(former)
        withoutRecordingUndo { former.removeInverse(reference.inverse, to: object) }
    }
}
