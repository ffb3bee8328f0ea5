/// A kind of edit of a model, one for each rule of migration.
enum ModelEdit: String, CaseIterable, Sendable {
    case addAttribute, addMandatoryAttribute, removeAttribute, renameAttribute, makeMandatory,
        makeOptional, changeType, toggleExternalStorage, addComposite, renameElement,
        addElement, moveUp, moveDown, addEntity, removeEntity, renameEntity, makeAbstract,
        makeConcrete, addParent, removeParent, joinHierarchies, addRelationship, removeRelationship,
        renameRelationship, toggleOrder, makeToMany, makeToOne, turnAround, raiseDestination,
        lowerDestination, addInverse, removeInverse, changeInverse, addTwinLinks, moveLinkUp,
        moveLinkDown,
        addConstraint, removeConstraint, touch, changeDefault, addIndex
}
