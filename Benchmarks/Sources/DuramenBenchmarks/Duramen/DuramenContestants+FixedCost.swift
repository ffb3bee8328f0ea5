import Duramen

/// How a request for one object by an indexed text is made.
enum RequestForm: Sendable {
    /// Anew each time, by key paths.
    case typed
    /// From a format string with a variable, parsed once, which is given its value each time.
    case template
    /// From a format string that is parsed each time.
    case format
}

/// Requests that find one object or none.
extension DuramenContestants {
    /// Fetches by an indexed text in one context, which keeps none of what is found.
    static func lookupByCode(
        _ dataset: Dataset, _ codes: [String], _ form: RequestForm
    ) throws -> [Contestant] {
        let container = try dataset.indexedContainer()
        let template = try FetchPredicate("code == $code")
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = container.makeContext()
                for code in codes {
                    let request: FetchRequest<IndexedQuake> =
                        switch form {
                        case .typed: FetchRequest().where { $0.code == code }
                        case .template:
                            FetchRequest().where(
                                try template.withSubstitutionVariables(["code": code]))
                        case .format: FetchRequest().where(try FetchPredicate("code == %@", code))
                        }
                    for quake in try context.fetch(request) { checksum.add(quake) }
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Reads a format string of three conditions again and again.
    static func parseFormat(times: Int) -> [Contestant] {
        [
            Contestant(.duramen) {
                var conditions = 0
                for turn in 0..<times {
                    let predicate = try FetchPredicate(
                        "magnitude >= %@ AND place CONTAINS[cd] %@ AND NOT region.name IN {'A', 'B'}",
                        turn, Questions.town)
                    if case .and(let parts) = predicate.form { conditions += parts.count }
                }
                return Outcome(conditions)
            }
        ]
    }
}
