/// Row 16: each figure per row at ten times the rows, over that at the given number of rows.
///
/// Both sizes run in the same rounds, so that their ratio is one of figures taken together. Only a
/// reference and Duramen take part: what the raw loop, or plain objects where nothing of a store is
/// read, lose to colder caches is shown beside.
@MainActor
struct ScalingRow {
    let small: Dataset
    let large: Dataset

    /// Runs the measurements of one row at both sizes.
    ///
    /// - Returns: The results at the larger size, with the comparison among their targets.
    func results(
        of row: BenchmarkRow, _ runner: MeasurementRunner
    ) async throws -> [MeasurementResult] {
        let largeOnes = try await row.measurements(large)
        let pairs = zip(try await row.measurements(small), largeOnes)
        var results: [MeasurementResult] = []
        for (smallOne, largeOne) in pairs where smallOne.scales {
            results.append(try await result(of: smallOne, largeOne, runner))
        }
        return results
    }

    private func result(
        of small: Measurement, _ large: Measurement, _ runner: MeasurementRunner
    ) async throws -> MeasurementResult {
        let roles: Set<Role> = [small.store.raw, .memory, .duramen]
        let smallOne = small.restricted(to: roles, name: small.name, targets: [])
        let largeOne = large.restricted(to: roles, name: "16 " + large.name, targets: [])
        let results = try await runner.run([smallOne, largeOne])
        let smallSamples = results[0].samples
        let comparison = { @Sendable (role: Role) in
            { @Sendable (large: MeasurementResult) -> Double? in
                large.ratio(of: role, toSamples: smallSamples[role])
            }
        }
        let reference =
            large.contestants.contains { $0.role == small.store.raw } ? small.store.raw : .memory
        return results[1].with(targets: [
            Target(
                "of the smaller size", unit: "x", must: .atMost(1.3), aim: .atMost(1.1),
                figure: comparison(.duramen)),
            Target(
                "\(reference.title), of the smaller size", unit: "x", must: nil, aim: nil,
                figure: comparison(reference)),
        ])
    }
}

extension BenchmarkRow {
    /// Stands for row 16 in lists; ``ScalingRow`` runs it, since it takes two datasets.
    static let scaling = BenchmarkRow(
        number: "16", word: "scaling", title: "every figure per row at ten times the rows"
    ) { _ in [] }

    /// Every row, in the order of the table.
    static var all: [BenchmarkRow] {
        [
            insert, batchInsert, batchInsertHistory, insertLMDB, fetchAll, fetchAllLMDB,
            fetchValues, touchOneField,
            namedProperties, predicate, fixedCost, corpus, lookup, faultLMDB, update, batchChanges,
            pages,
            offsetPages, lists, listsOfOthers,
            upsert, imports, migration, commit, commitProcessor, history, readers, regionNames,
            region,
            heldBytes,
            access,
            memoryStore, checksums,
            lmdb, idleContexts, scaling,
        ]
    }
}

extension MeasurementResult {
    fileprivate func with(targets: [Target]) -> MeasurementResult {
        MeasurementResult(
            name: name, title: title, store: store, unit: unit, operation: operation,
            operations: operations,
            rounds: rounds, targets: targets, roles: roles, samples: samples)
    }
}
