public import DuramenModel

extension FrozenModels {
    /// Makes sure that a model is the last of the frozen versions, for a test of the application.
    ///
    /// ```swift
    /// @Test func theModelIsFrozen() throws {
    ///     try FrozenModels("Models").verify(ManagedObjectModel(Book.self))
    /// }
    /// ```
    /// - Throws: ``FrozenModelError`` `.notFrozen` with what is different and the command that
    ///   freezes it; `.changingDefault` when a class gives another default each time it is asked,
    ///   such as the present moment: objects of earlier versions would get that of their migration.
    public func verify(_ model: ManagedObjectModel) throws(FrozenModelError) {
        if let problem = problem(with: model) { throw FrozenModelError(.notFrozen, problem) }
        let changing = model.changingDefaults
        if changing.isEmpty { return }
        throw FrozenModelError(
            .changingDefault,
            "The default of \(changing.joined(separator: ", ")) is another one each time; set such values when an object "
                + "is made, and leave the default away.")
    }
}

extension ManagedObjectModel {
    /// Attributes whose class gives two defaults when it is asked twice, as `Entity.attribute`.
    fileprivate var changingDefaults: [String] {
        var names: [String] = []
        for entity in entities {
            guard let type = entity.managedObjectClass?.type as? ManagedObject.Type else {
                continue
            }
            let first = type.entityDescription
            guard first.isDescribed else { continue }
            // Two moments within one tick of a clock are one.
            let others = (0..<3).map { _ in type.entityDescription }
            for (place, attribute) in first.attributes.enumerated() {
                let isSame = others.allSatisfy {
                    $0.attributes[place].defaultValue == attribute.defaultValue
                }
                if !isSame { names.append("\(entity.name).\(attribute.name)") }
            }
        }
        return names
    }
}
