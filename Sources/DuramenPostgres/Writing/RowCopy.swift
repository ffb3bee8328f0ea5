import DuramenModel
import DuramenStore

/// The new rows of a part of a batch, sent by COPY.
///
/// The server takes half as long for a COPY as for the same rows in arrays, but it is no part of a
/// pipeline, so that each costs two round trips more.
struct RowCopy {
    private let core: StoreCore
    private let rows: RowList

    /// Fewer rows are not worth the round trips.
    private static let fewestRows = 200

    /// Takes the rows of a part; nil if they are few, or if the part also changes rows.
    init?(_ part: ChangeSet, _ core: StoreCore) {
        guard part.inserts.count >= Self.fewestRows, part.updates.isEmpty, part.deletes.isEmpty,
            part.checks.isEmpty
        else { return nil }
        self.core = core
        rows = part.inserts
    }

    /// Writes the rows, in the transaction that is open.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - stamp: The version of the rows.
    ///   - limits: What may end it early.
    /// - Throws: `.invalidRequest` for a key that is in use, `.tooLarge`, `.cancelled`.
    func write(
        to connection: Connection, stamp: Int64, _ limits: RunLimits
    ) throws(StoreError) {
        var places: [Int: [Int]] = [:]
        for place in rows.indices { places[rows.entityIndex(at: place), default: []].append(place) }
        for (entity, places) in places.sorted(by: { $0.key < $1.key }) {
            core.counters.noteStatement()
            do throws(CopyFailure) {
                try write(places, core.writePlans[entity], to: connection, stamp, limits)
            } catch {
                if case .server(let failure) = error, failure.sqlState == "23505" {
                    throw SaveAttempt.keyInUse
                }
                throw error.storeError(core.name, during: "write to")
            }
        }
    }

    private func write(
        _ places: [Int], _ plan: WritePlan, to connection: Connection, _ stamp: Int64,
        _ limits: RunLimits
    ) throws(CopyFailure) {
        let values = RowValues(core: core)
        _ = try connection.copyIn(plan.copy, limits) { writer throws(StoreError) in
            for place in places {
                let row = rows[place]
                try writer.beginRow(columns: plan.steps.count + 3)
                writer.append(bigint: row.key)
                writer.append(integer: plan.number)
                writer.append(bigint: stamp)
                for step in plan.steps { _ = try values.append(step, of: row, to: &writer) }
            }
        }
    }
}
