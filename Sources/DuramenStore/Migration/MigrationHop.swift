public import DuramenModel
import Foundation

/// A change of a store's model, between its version and the current one.
public struct MigrationHop: Sendable {
    /// The changes of rows and pairs from the previous version to the next.
    public let change: SchemaChange
    /// The custom stage with the application's code; nil if the change is inferred.
    public let stage: CustomMigrationStage?

    /// The parts of a custom stage.
    struct Bridge: Sendable {
        let model: BridgingModel
        /// Adds the properties and entities that the next version adds.
        let expansion: MigrationJudgement
        /// Remove what the next version lacks: one change, or two for converted attributes.
        let contractions: [MigrationJudgement]
        /// Attributes that must have values after the steps.
        let mandatory: [MandatoryAttribute]
    }

    /// An attribute without a default that is optional in the bridging model and mandatory in the
    /// next version.
    struct MandatoryAttribute: Sendable, Hashable {
        /// The attribute in the next version, as `Entity.attribute`.
        let name: String
        /// The attribute in the bridging model.
        let between: Attribute
    }

    let bridge: Bridge?
    private let judgement: MigrationJudgement

    /// Creates an inferred change.
    init(_ judgement: MigrationJudgement) {
        change = judgement.change
        stage = nil
        bridge = nil
        self.judgement = judgement
    }

    /// Creates a custom change.
    ///
    /// - Parameters:
    ///   - stage: The custom stage.
    ///   - current: The previous version.
    ///   - next: The next version.
    ///   - policy: The policy of the migration.
    ///   - source: The model that the store keeps, if the change is the first.
    /// - Throws: `.invalidStages` if a step does not fit the versions.
    init(
        _ stage: CustomMigrationStage, from current: ManagedObjectModel,
        to next: ManagedObjectModel, _ policy: MigrationPolicy, of source: StoredModel?
    ) throws(StoreError) {
        let model = try stage.bridge(from: current, to: next)
        var fills = policy.fills
        let mandatory = model.mandatoryAttributes(filling: &fills)
        let ends: [ManagedObjectModel] =
            if let renamed = model.renamed { [renamed.first, renamed.last] } else { [next] }
        var contractions: [MigrationJudgement] = []
        var before = model.model
        for end in ends {
            contractions.append(
                MigrationJudgement(SchemaChange(from: before, to: end, fills: fills), policy))
            before = end
        }
        self.stage = stage
        change = SchemaChange(from: current, to: next, fills: fills)
        judgement = MigrationJudgement(change, policy)
        bridge = Bridge(
            model: model,
            expansion: MigrationJudgement(
                SchemaChange(from: current, to: model.model), policy, of: source),
            contractions: contractions, mandatory: mandatory)
    }

    /// The differences between stores of the two versions.
    public var changes: [ModelChange] { judgement.changes }

    /// The changes that lose data.
    public var losses: [ModelChange] {
        bridge?.contractions.flatMap(\.losses) ?? judgement.losses
    }

    /// The reasons why the change is refused, each with its remedy; empty if it is allowed.
    public var refusals: [String] {
        guard let bridge else { return judgement.refusals }
        return bridge.expansion.refusals + bridge.contractions.flatMap(\.refusals)
    }

    /// Whether data may be lost that the new model does not obviously remove. The code of a custom
    /// stage may lose anything.
    var isLossy: Bool { bridge != nil || judgement.isLossy }
}

extension BridgingModel {
    /// The attributes that must have values after the steps.
    ///
    /// - Parameter fills: Receives a value for each attribute, by all of its names, so that the
    ///   change to the next version is allowed. No row gets this value.
    fileprivate func mandatoryAttributes(
        filling fills: inout [String: StoredValue]
    ) -> [MigrationHop.MandatoryAttribute] {
        let known = fills
        var found: [MigrationHop.MandatoryAttribute] = []
        for entity in next.entities {
            for attribute in entity.attributes
            where !attribute.isOptional && attribute.defaultValue.isNull
                && attribute.derivation == nil
            {
                let owners = [next[attribute.declaringEntity].name, entity.name]
                guard let own = self.attribute(ofNext: attribute.name, in: entity), own.isOptional,
                    owners.allSatisfy({ known["\($0).\(attribute.name)"] == nil }),
                    let value = StoredValue(zeroOf: attribute.type)
                else { continue }
                // A converted attribute has two names.
                for owner in owners {
                    for name in [attribute.name, own.name] { fills["\(owner).\(name)"] = value }
                }
                let isKnown = found.contains {
                    $0.between.declaringEntity == own.declaringEntity && $0.between.slot == own.slot
                }
                if !isKnown {
                    found.append(.init(name: "\(owners[0]).\(attribute.name)", between: own))
                }
            }
        }
        return found
    }
}

extension StoredValue {
    /// Creates a value of a type, which no row gets; nil for types without values.
    fileprivate init?(zeroOf type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64: self = .integer(0)
        case .double, .float: self = .double(0)
        case .decimal: self = .decimal(0)
        case .string: self = .text(StoredText(""))
        case .uri: self = .uri(StoredText(""))
        case .boolean: self = .boolean(false)
        case .date: self = .date(.init(timeIntervalSinceReferenceDate: 0))
        case .binaryData, .transformable: self = .binary(.init())
        case .uuid: self = .uuid(.init())
        default: return nil
        }
    }
}

extension MigrationHop {
    /// The first change of the store's model.
    var firstChange: SchemaChange { bridge?.expansion.change ?? change }

    /// The name in progress and errors.
    var label: String {
        stage?.name ?? "\(change.source.shortName) -> \(change.target.shortName)"
    }

    /// The two versions and the kind of change, in one line.
    public var title: String {
        let versions = "\(change.source.shortName) -> \(change.target.shortName)"
        guard let stage else { return "\(versions)  inferred" }
        return "\(versions)  custom" + (stage.label.map { " '\($0)'" } ?? "")
    }

    /// One line for each change and step.
    public var lines: [String] { lines { _ in nil } }

    /// Returns one line for each change and step.
    ///
    /// - Parameters:
    ///   - lost: Returns the number of values or objects that a change loses; nil if unknown.
    ///   - note: Returns more text about a change.
    package func lines(
        lost: (ModelChange) -> Int?, note: (ModelChange) -> String = { _ in "" }
    ) -> [String] {
        let losses = Set(losses.map(\.name))
        var lines = changes.map { change in
            // The stage handles changes that cannot be inferred.
            let isPlain = stage != nil && !change.name.isEmpty
            var line = isPlain ? "\(change.name): \(change.message)" : "\(change)"
            if let loss = change.loss, losses.contains(change.name) {
                line += "; LOSS: \(lost(change).map { "\($0) of " } ?? "")\(loss)"
            }
            return line + note(change)
        }
        guard let stage else { return lines }
        if stage.willMigrateHandler != nil { lines.append("the program does its part before") }
        lines += stage.steps.map(\.explanation)
        if stage.didMigrateHandler != nil { lines.append("the program does its part afterwards") }
        return lines
    }
}
