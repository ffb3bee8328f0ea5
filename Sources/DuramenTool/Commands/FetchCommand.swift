import ArgumentParser
import DuramenModel
import DuramenQuery
import DuramenStore

/// `duramen fetch`
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Prints the objects of an entity that fulfil a condition.",
        discussion: """
            Opens the store for reading only, with the model that it keeps of itself. Prints the ID, the \
            attributes and the IDs of the to-ones, or the columns that are named. Values of confidential \
            attributes are printed as •••.
            """)

    @OptionGroup var query: QueryArguments
    @OptionGroup var window: WindowArguments

    @Option(
        help: .init(
            "The columns: attributes and to-ones, reached over to-ones, and 'objectID'.",
            valueName: "path[,path…]"))
    var columns: String?

    @Option(help: "How to print.")
    var format = OutputFormat.table

    @Flag(help: "Print the values of confidential attributes too.")
    var showConfidential = false

    func run() throws {
        try query.run { store, query in
            var query = query
            window.apply(to: &query)
            let list = ColumnList(entity: store.model[query.entity], model: store.model)
            let columns =
                try self.columns.map { (paths) throws(StoreError) in
                    try list.columns(paths)
                } ?? list.all
            // Large values are only read if they are printed.
            var slots = SlotSet()
            for column in columns { column.slots(in: store.model).forEach { slots.insert($0) } }
            query.slots = slots
            try write(query, columns, of: store)
        }
    }

    private func write(
        _ query: StoreQuery, _ columns: [Column], of store: any PersistentStore
    ) throws {
        let snapshot: any StoreSnapshot = try store.snapshot()
        let execution = try QueryExecution(query, on: store, in: snapshot)
        let reader = CellReader(
            columns, showsConfidential: showConfidential, of: store, in: snapshot)
        let output = OutputStream(isExact: format == .csv)
        var writer = format.writer(columns, to: output)
        if execution.isStreaming {
            try execution.forEachBatch { (batch) throws(StoreError) in
                try reader.forEachRow(of: Array(batch)) { (cells) throws(StoreError) in
                    try writer.write(cells)
                }
                return true
            }
        } else {
            try reader.forEachRow(of: execution.rows()) { (cells) throws(StoreError) in
                try writer.write(cells)
            }
        }
        try writer.finish()
        try output.flush()
    }
}
