import DuramenStore

/// A readable table of checksums.
struct ChecksumTable {
    private let checksums: StoreChecksums

    init(_ checksums: StoreChecksums) { self.checksums = checksums }

    var lines: [String] {
        let entities = checksums.entities
        let sums = entities.map { entity in
            let digits = String(entity.checksum, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return TextColumn.lines([
            TextColumn("name", entities.map(\.name), isNumber: false),
            TextColumn("rows", entities.map { "\($0.rowCount)" }),
            TextColumn("pairs", entities.map { "\($0.pairCount)" }),
            TextColumn("checksum", sums),
        ])
    }
}
