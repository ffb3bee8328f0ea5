package import DuramenModel

/// An operation on the objects of a store, between two versions of its model.
///
/// A step reads properties by their names in the previous version, and writes them by their names
/// in the next version. All names are checked before the migration starts.
public struct MigrationStep: Sendable {
    /// The description of the step, one line of a plan.
    public let explanation: String
    /// The entity whose objects the step visits, in the previous version; nil if only the
    /// application's code knows.
    let entity: String?
    /// The attribute that the step converts, as `Entity.attribute`; nil if it converts none.
    let convertedAttribute: String?
    private let check: @Sendable (BridgingModel) -> [String]
    private let body: @Sendable (StepWork) throws -> Void

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - explanation: The description of the step.
    ///   - entity: The entity whose objects the step visits, in the previous version.
    ///   - convertedAttribute: The attribute that the step converts, as `Entity.attribute`.
    ///   - check: Returns the problems of the step with the two versions.
    ///   - body: Runs the step.
    package init(
        _ explanation: String, of entity: String? = nil,
        converting convertedAttribute: String? = nil,
        check: @escaping @Sendable (BridgingModel) -> [String],
        body: @escaping @Sendable (StepWork) throws -> Void
    ) {
        self.explanation = explanation
        self.entity = entity
        self.convertedAttribute = convertedAttribute
        self.check = check
        self.body = body
    }

    func problems(_ bridge: BridgingModel) -> [String] { check(bridge) }

    func run(_ work: StepWork) throws { try body(work) }
}

extension BridgingModel {
    /// Returns the entity of the previous version; adds a problem if it does not exist.
    package func currentEntity(_ name: String, _ problems: inout [String]) -> Entity? {
        if let entity = current.entity(named: name) { return entity }
        problems.append("the version before has no entity '\(name)'")
        return nil
    }

    /// Returns an entity of the previous version in the bridging model and in the next version;
    /// adds a problem if it was removed.
    package func entities(
        _ name: String, _ problems: inout [String]
    ) -> (between: Entity, next: Entity)? {
        guard let entity = currentEntity(name, &problems) else { return nil }
        guard let between = model.entity(named: entity.name),
            let next = nextEntity(ofCurrent: entity.name)
        else {
            problems.append(
                "'\(name)' is gone in the next version, so that nothing of it is written")
            return nil
        }
        return (between, next)
    }

    /// Returns an attribute of the next version in the bridging model; adds a problem if steps
    /// cannot set it.
    @discardableResult
    package func written(
        _ path: String, of entity: Entity, _ problems: inout [String]
    ) -> Attribute? {
        guard case .attribute(let attribute)? = entity.property(named: path) else {
            problems.append(
                "the next version has no stored attribute '\(entity.name).\(path)'"
                    + (entity.composite(named: path) == nil ? "" : "; name its elements"))
            return nil
        }
        if attribute.derivation != nil {
            problems.append("'\(entity.name).\(path)' is derived: the store computes it")
            return nil
        }
        guard let between = self.attribute(ofNext: path, in: entity) else {
            problems.append(
                "'\(entity.name).\(path)' is something else in the version before; give it another name"
            )
            return nil
        }
        if between.type != attribute.type {
            problems.append(
                "'\(entity.name).\(path)' is \(between.type) in the version before and \(attribute.type) now; "
                    + "use a step convert")
            return nil
        }
        return between
    }

    /// Adds a problem if the previous version does not have a property.
    package func checkRead(_ path: String, of entity: Entity, _ problems: inout [String]) {
        if entity.property(named: path) == nil, entity.composite(named: path) == nil {
            problems.append("the version before has no property '\(entity.name).\(path)'")
        }
    }
}
