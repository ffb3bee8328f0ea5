public import DuramenModel
import Foundation

/// One change of a store's model, on the way from its version to the present one.
public struct MigrationHop: Sendable {
    /// What becomes of rows and pairs from the version before to the one afterwards.
    public let change: SchemaChange
    /// What the program does of it; nil when all is inferred.
    public let stage: CustomMigrationStage?

    /// What is done with a custom stage.
    struct Bridge: Sendable {
        let model: BridgingModel
        /// Adds what the next version adds.
        let expansion: MigrationJudgement
        /// Take away what only the version before had; one, or two with converted attributes.
        let contractions: [MigrationJudgement]
        /// Attributes that must have values once the steps are done, in the model in between.
        let mandatory: [Attribute]
    }

    let bridge: Bridge?
    private let judgement: MigrationJudgement

    /// A change that the two models say all about.
    init(_ judgement: MigrationJudgement) {
        change = judgement.change
        stage = nil
        bridge = nil
        self.judgement = judgement
    }

    /// A change of which the program does a part.
    ///
    /// - Parameter source: What the store keeps, when it has the version before.
    /// - Throws: `.invalidStages` when steps do not fit the versions.
    init(
        _ stage: CustomMigrationStage, from current: ManagedObjectModel,
        to next: ManagedObjectModel, _ policy: MigrationPolicy, of source: StoredModel?
    ) throws(StoreError) {
        let model = try stage.bridge(from: current, to: next)
        var fills = policy.fills
        let mandatory = model.mandatoryAttributes(filledBy: policy.fills)
        for (path, _, value) in mandatory { fills[path] = value }
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
            contractions: contractions,
            mandatory: Array(Set(mandatory.map(\.attribute))).sorted { $0.name < $1.name })
    }

    /// What stores of the two versions differ in.
    public var changes: [ModelChange] { judgement.changes }

    /// The changes by which something is lost.
    public var losses: [ModelChange] {
        bridge?.contractions.flatMap(\.losses) ?? judgement.losses
    }

    /// Why the change is not made, each with what settles it; none when it is.
    public var refusals: [String] {
        guard let bridge else { return judgement.refusals }
        return bridge.expansion.refusals + bridge.contractions.flatMap(\.refusals)
    }

    /// Whether something may be lost that the new model does not plainly leave out. What a program
    /// does is for nobody to judge.
    var isLossy: Bool { bridge != nil || judgement.isLossy }
}

extension BridgingModel {
    /// Attributes that are mandatory in the next version, may be null in between, and have no value
    /// of their own: by their path in the next version, with some value of their type.
    fileprivate func mandatoryAttributes(
        filledBy fills: [String: StoredValue]
    ) -> [(path: String, attribute: Attribute, value: StoredValue)] {
        var found: [(path: String, attribute: Attribute, value: StoredValue)] = []
        for entity in next.entities {
            for attribute in entity.attributes
            where !attribute.isOptional && attribute.defaultValue.isNull
                && attribute.derivation == nil
            {
                let owners = [next[attribute.declaringEntity].name, entity.name]
                guard let own = self.attribute(ofNext: attribute.name, in: entity), own.isOptional,
                    owners.allSatisfy({ fills["\($0).\(attribute.name)"] == nil }),
                    let value = StoredValue(zeroOf: attribute.type)
                else { continue }
                // A converted attribute has two names.
                for owner in owners {
                    for name in [attribute.name, own.name] {
                        found.append(("\(owner).\(name)", own, value))
                    }
                }
            }
        }
        return found
    }
}

extension StoredValue {
    /// Some value of a type, which no row gets; nil for types that have none.
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
    /// The change that a store of the version before goes through first.
    var firstChange: SchemaChange { bridge?.expansion.change ?? change }

    /// What to call it while it is under way.
    var label: String {
        stage?.name ?? "\(change.source.shortName) -> \(change.target.shortName)"
    }

    /// The two versions and what leads from one to the other, in one line.
    public var title: String {
        let versions = "\(change.source.shortName) -> \(change.target.shortName)"
        guard let stage else { return "\(versions)  inferred" }
        return "\(versions)  custom" + (stage.label.map { " '\($0)'" } ?? "")
    }

    /// What happens, a line for each.
    public var lines: [String] {
        guard let stage else {
            return changes.map { change in
                "\(change)" + (change.loss.map { "; LOSS: \($0)" } ?? "")
            }
        }
        let losses = Set(losses.map(\.name))
        var lines = changes.map { change in
            "\(change.name)\(change.name.isEmpty ? "" : ": ")\(change.message)"
                + (losses.contains(change.name) ? change.loss.map { "; LOSS: \($0)" } ?? "" : "")
        }
        if stage.willMigrateHandler != nil { lines.append("the program does its part before") }
        lines += stage.steps.map(\.explanation)
        if stage.didMigrateHandler != nil { lines.append("the program does its part afterwards") }
        return lines
    }
}
