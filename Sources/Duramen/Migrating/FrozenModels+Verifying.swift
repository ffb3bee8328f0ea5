public import DuramenModel

extension FrozenModels {
    /// Checks, in a test of your application, that a model is the last frozen version.
    ///
    /// ```swift
    /// @Test func theModelIsFrozen() throws {
    ///     try FrozenModels("Models").verify(ManagedObjectModel(Book.self))
    /// }
    /// ```
    /// - Throws: ``FrozenModelError`` `.notFrozen` with the differences and the command that
    ///   freezes the model; `.changingDefault` if a default differs each time, such as the present
    ///   moment.
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
    /// The attributes whose defaults differ each time, as `Entity.attribute`.
    fileprivate var changingDefaults: [String] {
        var names: [String] = []
        for entity in entities {
            guard let type = entity.managedObjectClass?.type as? ManagedObject.Type else {
                continue
            }
            let first = type.entityDescription
            guard first.isDescribed else { continue }
            // Several, because two moments within one tick of a clock are equal.
            let others = (0..<3).map { _ in type.entityDescription }
            for (index, attribute) in first.attributes.enumerated() {
                let isSame = others.allSatisfy {
                    $0.attributes[index].defaultValue == attribute.defaultValue
                }
                if !isSame { names.append("\(entity.name).\(attribute.name)") }
            }
        }
        return names
    }
}
