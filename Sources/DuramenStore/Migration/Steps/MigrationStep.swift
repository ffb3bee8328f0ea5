package import DuramenModel

/// One thing that is done to the objects of a store between two versions of its model.
///
/// Steps name entities and properties by their names: those that are read by the names of the
/// version before, those that are written by the names of the next version. The names are checked
/// before anything is done.
public struct MigrationStep: Sendable {
    /// What the step does, in one line of a plan.
    public let explanation: String
    /// The attribute, as `Entity.attribute` of the next version, that is written beside the one
    /// that it was; nil for none.
    let convertedAttribute: String?
    private let check: @Sendable (BridgingModel) -> [String]
    private let body: @Sendable (StepWork) throws -> Void

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - check: What keeps the step from being done between two versions; nothing when it can be.
    ///   - body: Does it.
    package init(
        _ explanation: String, converting convertedAttribute: String? = nil,
        check: @escaping @Sendable (BridgingModel) -> [String],
        body: @escaping @Sendable (StepWork) throws -> Void
    ) {
        self.explanation = explanation
        self.convertedAttribute = convertedAttribute
        self.check = check
        self.body = body
    }

    func problems(_ bridge: BridgingModel) -> [String] { check(bridge) }

    func run(_ work: StepWork) throws { try body(work) }
}

extension BridgingModel {
    /// The entity of the version before; a problem when it has none.
    package func currentEntity(_ name: String, _ problems: inout [String]) -> Entity? {
        if let entity = current.entity(named: name) { return entity }
        problems.append("the version before has no entity '\(name)'")
        return nil
    }

    /// The entity in between and the one of the next version that one of the version before is.
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

    /// The attribute in between that one of the next version is; a problem when it cannot be
    /// written.
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

    /// A property of the version before; a problem when it has none.
    package func checkRead(_ path: String, of entity: Entity, _ problems: inout [String]) {
        if entity.property(named: path) == nil, entity.composite(named: path) == nil {
            problems.append("the version before has no property '\(entity.name).\(path)'")
        }
    }
}
