import Foundation

/// A measurement as it is written to the JSON file.
///
/// Ratios are Duramen's cost over the other's, below 1 where Duramen is cheaper. A figure that was
/// not measured is written as null.
struct ResultDocument: Encodable {
    struct TargetDocument: Encodable {
        let label: String
        let unit: String
        let must: Bound?
        let aim: Bound?
        let figure: Double?
        let verdict: Verdict

        enum CodingKeys: String, CodingKey {
            case label, unit, must, aim, figure, verdict
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(label, forKey: .label)
            try container.encode(unit, forKey: .unit)
            try container.encode(must?.text(unit: unit), forKey: .must)
            try container.encode(aim?.text(unit: unit), forKey: .aim)
            try container.encode(figure, forKey: .figure)
            try container.encode(verdict.rawValue, forKey: .verdict)
        }
    }

    let result: MeasurementResult
    let rowCount: Int

    enum CodingKeys: String, CodingKey {
        case name, title, store, rows, operations, rounds, unit, targets, medians
        case ratioToRaw = "ratio_raw"
        case ratioToGRDB = "ratio_grdb"
        case ratioToGRDBByHand = "ratio_grdb_by_hand"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(result.name, forKey: .name)
        try container.encode(result.title, forKey: .title)
        try container.encode(result.store.rawValue, forKey: .store)
        try container.encode(rowCount, forKey: .rows)
        try container.encode(result.operations, forKey: .operations)
        try container.encode(result.rounds, forKey: .rounds)
        try container.encode("\(result.unit) per \(result.operation)", forKey: .unit)
        try container.encode(ratio(to: result.store.raw), forKey: .ratioToRaw)
        try container.encode(ratio(to: .grdbCodable), forKey: .ratioToGRDB)
        try container.encode(ratio(to: .grdbByHand), forKey: .ratioToGRDBByHand)
        try container.encode(medians, forKey: .medians)
        try container.encode(result.targets.map(document), forKey: .targets)
    }

    private var medians: [String: Double] {
        var medians: [String: Double] = [:]
        for role in result.roles { medians[role.rawValue] = result.median(of: role) }
        return medians
    }

    private func ratio(to role: Role) -> Double? {
        result.ratio(of: .duramen, to: role)
    }

    private func document(_ target: Target) -> TargetDocument {
        let figure = target.figure(result)
        return TargetDocument(
            label: target.label, unit: target.unit, must: target.must, aim: target.aim,
            figure: figure, verdict: Verdict(target, figure: figure))
    }

    /// Writes one array of documents.
    static func write(_ documents: [ResultDocument], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        var data = try encoder.encode(documents)
        data.append(UInt8(ascii: "\n"))
        try data.write(to: URL(fileURLWithPath: path))
    }
}
