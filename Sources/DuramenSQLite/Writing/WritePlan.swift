import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore

/// How a slot is bound to a parameter.
struct BindStep: Sendable {
    var kind: SlotKind
    var slot: Int32
    /// Whether the value has a tag, and may be in a file.
    var isExternal = false
}

/// The plan for writing the rows of an entity.
final class WritePlan: Sendable {
    let entity: EntityID
    let table: Int
    let tableName: String
    let number: Int64
    let steps: ContiguousArray<BindStep>
    /// Quoted column names by slot.
    let columns: [String]
    /// Column names without quotes, by slot.
    let plainColumns: [String]
    let decimalSlots: [Int]
    let rootNumber: Int64
    /// Entity slots by the slot of their to-one.
    let entitySlots: [Int: Int]
    /// Slots of uniqueness constraints.
    let uniqueSlots: SlotSet
    private let insertHead: String
    let deleteSQL: String
    /// Finds a row with a version.
    let checkSQL: String
    let pairDeletions: [String]

    init(schema: AppleSchema, entity: Entity) {
        self.entity = entity.id
        let map = schema.entities[entity.id.index]
        let tableMap = schema.tables[map.table]
        table = map.table
        tableName = tableMap.quoted
        rootNumber = Int64(tableMap.rootNumber)
        number = Int64(map.number)
        columns = map.columns.map { tableMap.columns[$0].quoted }
        plainColumns = map.columns.map { tableMap.columns[$0].name }
        steps = ContiguousArray(
            entity.layout.kinds.enumerated().map { slot, kind in
                BindStep(
                    kind: kind, slot: Int32(slot),
                    isExternal: schema.isExternal(slot: slot, of: entity.id))
            })
        decimalSlots = entity.layout.kinds.indices.filter { entity.layout.kinds[$0] == .decimal }
        var seconds: [Int: Int] = [:]
        for relationship in entity.relationships {
            if case .toOne(let slot, let second?) = relationship.storage { seconds[slot] = second }
        }
        entitySlots = seconds
        var unique = SlotSet()
        for constraint in entity.uniquenessConstraints {
            for slot in constraint.slots { unique.insert(slot) }
        }
        uniqueSlots = unique
        let names = columns.map { ", " + $0 }.joined()
        insertHead = "INSERT OR FAIL INTO \(tableName) (Z_PK, Z_ENT, Z_OPT\(names)) VALUES "
        let condition =
            "FROM \(tableName) WHERE Z_PK = ? AND Z_ENT = \(map.number) "
            + "AND ifnull(Z_OPT, 0) = ?"
        deleteSQL = "DELETE \(condition)"
        checkSQL = "SELECT 1 \(condition)"
        pairDeletions = entity.toManyRelationships.flatMap { relationship -> [String] in
            guard let pairs = schema.pairs(of: relationship.id) else { return [] }
            let columns =
                pairs.isReflexive
                ? [pairs.ownerColumn, pairs.destinationColumn] : [pairs.ownerColumn]
            return columns.map { "DELETE FROM \(pairs.table) WHERE \($0) = ?" }
        }
    }

    /// An insertion of some rows. The version of all rows comes first, then the key and slots of
    /// each.
    ///
    /// `OR FAIL`, because a transaction with a failed statement is rolled back completely. Without
    /// it the engine would keep copies of pages for every statement of several rows.
    func insertSQL(rows: Int) -> String {
        var parameter = 2
        var groups: [String] = []
        for _ in 0..<rows {
            var group = "(?\(parameter), \(number), ?1"
            for slot in columns.indices { group += ", ?\(parameter + 1 + slot)" }
            groups.append(group + ")")
            parameter += columns.count + 1
        }
        return insertHead + groups.joined(separator: ", ")
    }

    /// The number of rows in one insertion.
    func rowsPerInsertion(parameterLimit: Int) -> Int {
        let most = min(parameterLimit, Self.mostParameters) - 1
        return max(1, min(Self.mostRows, most / (columns.count + 1)))
    }

    // More rows made no measurable difference; so statements of wide entities have moderate size.
    private static let mostRows = 32
    private static let mostParameters = 4_000

    /// An update of some slots. The version comes first; key and base version last.
    func updateSQL(_ slots: [Int]) -> String {
        let assignments = slots.map { ", \(columns[$0]) = ?" }.joined()
        return "UPDATE \(tableName) SET Z_OPT = ?\(assignments) "
            + "WHERE Z_PK = ? AND Z_ENT = \(number) AND ifnull(Z_OPT, 0) = ?"
    }
}

/// Binds slots of rows, whose bytes are not copied: a row outlives the run of its statement.
struct RowBinder {
    let schema: AppleSchema
    /// The large values of the change set being written.
    var largeValues: LargeValues?

    @inline(__always) func bind(
        _ row: Row, _ step: BindStep, to statement: Statement, at place: Int32
    ) {
        bind(row, step, to: statement.handle, at: place)
    }

    @inline(__always) func bind(
        _ row: borrowing Row, _ step: BindStep, to handle: OpaquePointer, at place: Int32
    ) {
        let slot = Int(step.slot)
        if row.isNull(slot) {
            sqlite3_bind_null(handle, place)
            return
        }
        switch step.kind {
        case .integer, .boolean, .reference: sqlite3_bind_int64(handle, place, row.integer(slot))
        case .double, .float, .date: sqlite3_bind_double(handle, place, row.double(slot))
        case .binary where step.isExternal: bindExternal(row, slot, to: handle, at: place)
        case .text, .uri: Statement.bindText(row.unsafeBytes(slot), to: handle, at: place)
        case .binary, .uuid, .transformable:
            Statement.bindBytes(row.unsafeBytes(slot), to: handle, at: place)
        case .decimal:
            let digits = String(decoding: row.unsafeBytes(slot), as: UTF8.self)
            if let whole = Int64(digits) {
                sqlite3_bind_int64(handle, place, whole)
            } else {
                sqlite3_bind_double(handle, place, Double(digits) ?? 0)
            }
        case .referenceEntity:
            let index = Int(row.integer(slot))
            if schema.numbers.indices.contains(index) {
                sqlite3_bind_int64(handle, place, Int64(schema.numbers[index]))
            } else {
                sqlite3_bind_null(handle, place)
            }
        }
    }

    /// Binds keys and slots of the rows at some indexes, from the second parameter on.
    func bind(
        _ rows: RowList, _ places: ArraySlice<Int>, _ plan: WritePlan, to statement: Statement
    ) {
        let handle = statement.handle
        let binder = self
        places.withUnsafeBufferPointer { places in
            plan.steps.withUnsafeBufferPointer { steps in
                var parameter: Int32 = 2
                for place in places {
                    rows.withRow(at: place) { row in
                        sqlite3_bind_int64(handle, parameter, row.key)
                        parameter += 1
                        for step in steps {
                            binder.bind(row, step, to: handle, at: parameter)
                            parameter += 1
                        }
                    }
                }
            }
        }
    }

    @inline(never) private func bindExternal(
        _ row: borrowing Row, _ slot: Int, to handle: OpaquePointer, at place: Int32
    ) {
        let bytes =
            largeValues?.encoded(row, slot)
            ?? ExternalValue.inline(copying: row.unsafeBytes(slot))
        bytes.withUnsafeBytes { Statement.bindBytes($0, to: handle, at: place, copied: true) }
    }
}
