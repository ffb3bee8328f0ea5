import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Copies the records of a damaged store that can be read into a new environment.
struct SalvageCopy {
    private let source: StoreFolder
    private let destination: StoreFolder
    private var losses: [String] = []

    init(_ source: StoreFolder, to destination: StoreFolder) {
        self.source = source
        self.destination = destination
    }

    /// - Returns: The parts that could not be read.
    mutating func run() throws(StoreError) -> [String] {
        guard let file = FilePages(path: source.data) else {
            throw StoreError(.storeMissing, "There is no store at '\(source.path)'.")
        }
        guard file.byteCount > 0 else {
            throw StoreError(
                .damagedFile, "'\(source.data)' is empty; restore a backup.")
        }
        var tables = try DamagedTables(file, path: source.path)
        guard try destination.inspect() == .missing else {
            throw StoreError(
                .invalidRequest, "Something is at '\(destination.path)' already; name a free path.")
        }
        do throws(StoreError) {
            try makeFolder()
            try copy(&tables)
            losses = tables.losses + losses
            try copyValues()
            return losses
        } catch {
            try? destination.remove()
            throw error
        }
    }

    private func makeFolder() throws(StoreError) {
        let error = SystemCalls.makeFolder(destination.path)
        if error != 0 { throw destination.failed(error, "make") }
        try destination.reserveReaders()
    }

    private mutating func copy(_ tables: inout DamagedTables) throws(StoreError) {
        let error = SystemCalls.createFile(destination.data)
        if error != 0 { throw destination.failed(error, "make") }
        guard
            let claim = try OpenStoreFile.claim(
                destination.data, prepare: { (_) throws(StoreError) in })
        else { throw destination.failed(SystemCalls.noEntry, "make") }
        let environment = try Environment(
            destination, isReadOnly: false, claim: claim, tables: Int(Environment.tableLimit),
            mapBytes: Environment.mapBytes, onEnd: { $0.end() })
        defer { environment.close() }
        let found = try tables.tables()
        guard let meta = found[Table.Name.meta] else {
            throw StoreError(
                .damagedFile,
                "The table of contents of '\(source.path)' is damaged, so that nothing can be read. Restore a "
                    + "backup.")
        }
        try copy(meta, Table.Name.meta, from: &tables, to: environment)
        let roots = try roots(in: environment)
        try create(roots.keys.sorted(), in: environment)
        if let edges = found[Table.Name.edges] {
            try copy(edges, Table.Name.edges, from: &tables, to: environment)
        } else {
            losses.append("The table of many-to-many pairs.")
        }
        for (number, root) in roots.sorted(by: { $0.key < $1.key }) {
            let name = Table.Name.rows(number)
            guard let rows = found[name] else {
                losses.append("All objects of '\(root)'.")
                continue
            }
            try copy(rows, name, of: root, from: &tables, to: environment)
        }
        try environment.synchronize()
    }

    /// The names of root entities by the numbers of their tables.
    private func roots(in environment: Environment) throws(StoreError) -> [Int: String] {
        let transaction = try Transaction.writing(
            environment, durability: .full, timeoutSeconds: 0)
        defer { transaction.abort() }
        guard let table = try transaction.table(Table.Name.meta, creates: false),
            let catalog = try MetaTable(transaction: transaction, table: table).catalog()
        else {
            throw StoreError(
                .damagedFile,
                "The catalog of '\(source.path)' is damaged, so that no object can be read. Restore a backup."
            )
        }
        return Dictionary(
            catalog.roots.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    private func create(_ roots: [Int], in environment: Environment) throws(StoreError) {
        let transaction = try Transaction.writing(
            environment, durability: .full, timeoutSeconds: 0)
        do throws(StoreError) {
            _ = try StoreTables.open(transaction, roots: roots, creates: true)
        } catch {
            transaction.abort()
            throw error
        }
        let result = transaction.commit()
        if result != 0 { throw transaction.commitError(result, "make") }
    }

    /// Copies the records of a table; those of rows and pairs only when their checksum is right.
    private mutating func copy(
        _ table: MetaPage.TableRecord, _ name: String, of root: String? = nil,
        from tables: inout DamagedTables, to environment: Environment
    ) throws(StoreError) {
        var writer = SalvageWriter(
            environment, name, hasIntegerKeys: table.hasIntegerKeys || root != nil)
        var damaged: [Int64] = []
        var otherDamaged = 0
        do throws(StoreError) {
            try tables.forEachRecord(of: table, named: root ?? name) {
                (record) throws(StoreError) in
                if root != nil {
                    guard record.key.count == 8 else { return damaged.append(0) }
                    let key = record.key.loadUnaligned(as: Int64.self)
                    guard RowRecord.head(record.value, key: key) != nil else {
                        return damaged.append(key)
                    }
                } else if !Self.isSound(record, of: name) {
                    otherDamaged += 1
                    return
                }
                try writer.put(record)
            }
            try writer.commit()
        } catch {
            writer.abort()
            throw error
        }
        if otherDamaged > 0 {
            losses.append("\(otherDamaged) damaged records of the table '\(name)'.")
        }
        for key in damaged { losses.append("\(root ?? name)/p\(key): its record is damaged.") }
    }

    private static func isSound(_ record: DamagedTables.Record, of table: String) -> Bool {
        guard (1...KeyBuilder.engineLimit).contains(record.key.count) else { return false }
        return table != Table.Name.edges || PairNumber.isSound(record.value, key: record.key)
    }

    private mutating func copyValues() throws(StoreError) {
        try source.values.copy(to: destination.values, synchronizes: false)
        losses += try destination.values.removeAltered()
    }
}

/// Writes records of one table in transactions of a bounded size.
private struct SalvageWriter {
    private let environment: Environment
    private let name: String
    private let hasIntegerKeys: Bool
    /// How much is written in one transaction.
    private static let transactionBytes = 32 << 20
    private var open: (transaction: Transaction, table: Table)?
    private var byteCount = 0

    init(_ environment: Environment, _ name: String, hasIntegerKeys: Bool) {
        self.environment = environment
        self.name = name
        self.hasIntegerKeys = hasIntegerKeys
    }

    mutating func put(_ record: DamagedTables.Record) throws(StoreError) {
        let (transaction, table) = try begin()
        try transaction.put(record.value, for: record.key, in: table)
        byteCount += record.key.count + record.value.count
        if byteCount > Self.transactionBytes { try commit() }
    }

    private mutating func begin() throws(StoreError) -> (transaction: Transaction, table: Table) {
        if let open { return open }
        let transaction = try Transaction.writing(
            environment, durability: .full, timeoutSeconds: 0)
        guard
            let table = try transaction.table(
                name, hasIntegerKeys: hasIntegerKeys, creates: true)
        else {
            transaction.abort()
            throw StoreError(.io, "The table '\(name)' cannot be made; try again.")
        }
        open = (transaction, table)
        return (transaction, table)
    }

    mutating func commit() throws(StoreError) {
        guard let (transaction, _) = open else { return }
        open = nil
        byteCount = 0
        let result = transaction.commit()
        if result != 0 { throw transaction.commitError(result, "write to") }
    }

    mutating func abort() {
        open?.transaction.abort()
        open = nil
    }
}
