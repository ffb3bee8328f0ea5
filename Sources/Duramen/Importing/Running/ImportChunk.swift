import DuramenModel

/// The records of some elements, in which each object stands once.
struct ImportChunk {
    /// The records, those of destinations before those that refer to them.
    private(set) var records: [ImportRecord] = []
    /// The elements that were refused, with the reasons.
    private(set) var refused: [Int: RefusedValue] = [:]
    /// How many elements were read, the refused ones included.
    private(set) var elementCount = 0

    /// Adds an element that was read.
    mutating func add(_ record: ImportRecord) {
        elementCount += 1
        _ = unique(record)
    }

    /// Counts an element that could not be read.
    mutating func refuse(_ element: Int, _ error: RefusedValue) {
        elementCount += 1
        refused[element] = error
    }

    /// Refuses elements that were read.
    mutating func refuse(_ record: ImportRecord, _ error: RefusedValue) {
        for element in record.elements where refused[element] == nil { refused[element] = error }
    }

    /// Ends the chunk.
    func end() {
        for record in records { record.imported?.endChunk() }
    }

    /// Whether an element is left that needs a record.
    func isWanted(_ record: ImportRecord) -> Bool {
        refused[record.element] == nil || record.elements.contains { refused[$0] == nil }
    }

    /// The one record of an object: this one, or an earlier one of the same key.
    private mutating func unique(_ record: ImportRecord) -> ImportRecord {
        for index in record.toOnes.indices {
            if let destination = record.toOnes[index].destination {
                record.toOnes[index].destination = unique(destination)
            }
        }
        for index in record.toManys.indices {
            record.toManys[index].members = record.toManys[index].members.map { unique($0) }
        }
        if let key = record.key, let objects = record.plan.objects {
            let imported = objects.object(with: key)
            if let known = imported.record(of: record.plan) {
                known.add(record)
                return known
            }
            imported.add(record)
            record.imported = imported
        } else {
            record.imported = ImportedObject(nil)
        }
        records.append(record)
        return record
    }
}
