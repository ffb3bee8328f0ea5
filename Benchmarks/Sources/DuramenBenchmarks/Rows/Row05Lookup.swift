extension BenchmarkRow {
    static let lookup = BenchmarkRow(
        number: "5", word: "lookup", title: "object by identifier, registered and as a fault"
    ) { dataset in
        // With repetitions, as the targets were measured: who keeps objects finds some of them
        // registered. The last measurement asks for each row once.
        let random = Workload.randomIdentifiers(dataset.rowCount, of: dataset.rowCount)
        let shuffled = Workload.shuffledIdentifiers(of: dataset.rowCount)
        return [
            Measurement(
                "5 registered", title: "object by identifier, registered, and one number of it",
                operation: "lookup", operations: random.count,
                targets: [.absolute("ns", must: 150, aim: 100)],
                contestants: [PlainObjectContestants.lookup(dataset, random, everyField: false)]
                    + (try DuramenContestants.lookupRegistered(
                        dataset, random, everyField: false))),
            Measurement(
                "5 registered, read", title: "object by identifier, registered, and every field",
                operation: "lookup", operations: random.count, targets: [],
                contestants: [
                    try RawContestants.lookup(dataset, random),
                    PlainObjectContestants.lookup(dataset, random, everyField: true),
                ]
                    + (try DuramenContestants.lookupRegistered(
                        dataset, random, everyField: true))),
            Measurement(
                "5 fault", title: "object by identifier, as a fault in a new context, every field",
                operation: "lookup", operations: random.count,
                targets: [
                    .ratio(to: .raw, must: 1.3, aim: 1),
                    .faster(than: .grdbCodable, must: nil, aim: 20),
                    .faster(than: .grdbByHand, must: nil, aim: nil),
                ],
                contestants: [try RawContestants.lookup(dataset, random)]
                    + GRDBContestants.lookup(dataset, random)
                    + (try DuramenContestants.lookupFault(dataset, random))),
            Measurement(
                "5 fault once", title: "the same, each object once",
                operation: "lookup", operations: shuffled.count,
                targets: [.ratio(to: .raw, must: nil, aim: 1.3)],
                contestants: [try RawContestants.lookup(dataset, shuffled)]
                    + (try DuramenContestants.lookupFault(dataset, shuffled))),
        ]
    }

    static let faultLMDB = BenchmarkRow(
        number: "5b", word: "fault-lmdb", title: "object by identifier as a fault, over LMDB"
    ) { dataset in
        let random = Workload.randomIdentifiers(dataset.rowCount, of: dataset.rowCount)
        let shuffled = Workload.shuffledIdentifiers(of: dataset.rowCount)
        return [
            Measurement(
                "5b fault",
                title: "object by identifier, as a fault in a new context, every field, over LMDB",
                store: .lmdb, operation: "lookup", operations: random.count,
                targets: [.ratio(to: .rawLMDB, must: 2.5, aim: 1.8)],
                contestants: [try RawLMDBContestants.lookup(dataset, random)]
                    + (try DuramenContestants.lookupFault(dataset, random, .lmdb))),
            Measurement(
                "5b fault once", title: "the same, each object once", store: .lmdb,
                operation: "lookup", operations: shuffled.count,
                targets: [.ratio(to: .rawLMDB, must: nil, aim: nil)],
                contestants: [try RawLMDBContestants.lookup(dataset, shuffled)]
                    + (try DuramenContestants.lookupFault(dataset, shuffled, .lmdb))),
        ]
    }
}
