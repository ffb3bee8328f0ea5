/// What the example imports: a line of an agency's feed.
struct ServerRecord: Sendable {
    let code: String
    let magnitude: Double
}

/// What the agency sent.
let feed = [ServerRecord(code: "us7000", magnitude: 6.2)]
