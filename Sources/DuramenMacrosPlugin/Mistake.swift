import SwiftDiagnostics
import SwiftSyntax

/// A wrong use of the macros: a stable identifier and a sentence that names the remedy.
struct Mistake: DiagnosticMessage {
    let id: String
    let message: String
    let severity: DiagnosticSeverity

    init(_ id: String, _ message: String, severity: DiagnosticSeverity = .error) {
        self.id = id
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "DuramenMacros", id: id) }
}

/// The diagnostics of a declaration, in the order of discovery.
struct Findings {
    private(set) var diagnostics: [Diagnostic] = []

    /// The number of errors so far. A reader compares it to find whether its part is valid.
    private(set) var errorCount = 0

    mutating func report(_ mistake: Mistake, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        if mistake.severity == .error { errorCount += 1 }
        diagnostics.append(Diagnostic(node: Syntax(node), message: mistake, fixIts: fixIts))
    }

    mutating func append(_ other: Findings) {
        diagnostics += other.diagnostics
        errorCount += other.errorCount
    }
}
