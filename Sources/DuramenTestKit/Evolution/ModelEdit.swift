/// A kind of edit of a model, one for each rule of migration.
enum ModelEdit: String, CaseIterable, Sendable {
    case addAttribute, addMandatoryAttribute, removeAttribute, renameAttribute, makeMandatory,
        makeOptional, changeType, toggleExternalStorage, addComposite, renameElement,
        addElement, moveUp, moveDown, addEntity, removeEntity, renameEntity, makeAbstract,
        makeConcrete, addParent, removeParent, joinHierarchies, addRelationship, removeRelationship,
        renameRelationship, toggleOrder, makeToMany, raiseDestination, addInverse, removeInverse,
        addConstraint, removeConstraint, touch, changeDefault, addIndex
}
